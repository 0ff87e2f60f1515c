"""The records of croupier.proto that a device reads and writes.

The table has the messages and fields that this package uses; Protobuf skips all others. It takes the
place of generated code, so that building the package needs no compiler of Protobuf, and the package
runs with every release of its runtime. A test compares the table with croupier.proto.
"""
from typing import Any, Dict, List, Tuple

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PACKAGE = "croupier.v1"

# Enumerations are of the type int32, which has the same encoding: unknown values are kept.
# A field without presence is "repeated"; "oneof NAME" names the group of alternatives.
MESSAGES: Dict[str, List[Tuple[str, int, str, str]]] = {
    "Accuracy": [],
    "LossAbove": [("threshold", 1, "double", "optional")],
    "Question": [
        ("name", 1, "string", "optional"),
        ("accuracy", 2, "Accuracy", "oneof kind"),
        ("loss_above", 3, "LossAbove", "oneof kind"),
    ],
    "Estimate": [("question", 1, "Question", "optional")],
    "Intercept": [],
    "Range": [("from", 1, "double", "optional"), ("to", 2, "double", "optional")],
    "Moments": [("mean", 1, "double", "optional"), ("deviation", 2, "double", "optional")],
    "YesNo": [],
    "OneHot": [("categories", 1, "string", "repeated"), ("other", 2, "bool", "optional")],
    "Encoder": [("digest", 1, "string", "optional"), ("length", 2, "int32", "optional")],
    "Feature": [
        ("name", 1, "string", "optional"),
        ("intercept", 2, "Intercept", "oneof kind"),
        ("range", 3, "Range", "oneof kind"),
        ("moments", 4, "Moments", "oneof kind"),
        ("yes_no", 5, "YesNo", "oneof kind"),
        ("one_hot", 6, "OneHot", "oneof kind"),
        ("encoder", 7, "Encoder", "oneof kind"),
    ],
    "Logistic": [],
    "Classes": [("classes", 1, "string", "repeated")],
    "Squared": [("range", 1, "Range", "optional")],
    "Pinball": [("range", 1, "Range", "optional"), ("level", 2, "double", "optional")],
    "Hinge": [],
    "Prediction": [
        ("label", 1, "string", "optional"),
        ("logistic", 2, "Logistic", "oneof loss"),
        ("softmax", 3, "Classes", "oneof loss"),
        ("squared", 4, "Squared", "oneof loss"),
        ("pinball", 5, "Pinball", "oneof loss"),
        ("hinge", 6, "Hinge", "oneof loss"),
    ],
    "Choice": [("categories", 1, "string", "repeated")],
    "Quantiles": [
        ("levels", 1, "double", "repeated"),
        ("from", 2, "double", "optional"),
        ("to", 3, "double", "optional"),
    ],
    "Prefixes": [
        ("alphabet", 1, "string", "optional"),
        ("length", 2, "int32", "optional"),
        ("top", 3, "int32", "optional"),
    ],
    "Statistic": [
        ("name", 1, "string", "optional"),
        ("choice", 2, "Choice", "oneof kind"),
        ("quantiles", 3, "Quantiles", "oneof kind"),
        ("prefixes", 4, "Prefixes", "oneof kind"),
    ],
    "TextValues": [
        ("prefixes", 1, "string", "repeated"),
        ("texts", 2, "string", "repeated"),
    ],
    "StatisticEstimate": [
        ("statistic", 1, "Statistic", "optional"),
        ("threshold", 4, "double", "optional"),
        ("texts", 6, "TextValues", "optional"),
    ],
    "Limits": [
        ("epsilon", 1, "double", "optional"),
        ("delta", 3, "double", "optional"),
        ("reports", 4, "int64", "optional"),
        ("per_days", 7, "int32", "optional"),
    ],
    "ModelUpdate": [
        ("model_id", 1, "string", "optional"),
        ("round", 2, "int64", "optional"),
        ("weights", 3, "double", "repeated"),
        ("average", 4, "double", "repeated"),
        ("used", 5, "int64", "optional"),
        ("grid_exponent", 9, "sint32", "optional"),
        ("gradient_bound", 10, "double", "optional"),
        ("answer_probability", 11, "double", "optional"),
        ("published_at_ms", 13, "int64", "optional"),
        ("question_probability", 14, "double", "optional"),
        ("estimates", 15, "Estimate", "repeated"),
        ("size", 17, "int32", "optional"),
        ("slope_bound", 18, "double", "optional"),
        ("features", 21, "Feature", "repeated"),
        ("statistics", 22, "StatisticEstimate", "repeated"),
        ("limits", 24, "Limits", "optional"),
        ("predicts", 25, "Prediction", "optional"),
        ("average_round", 28, "int64", "optional"),
    ],
    "Candidate": [
        ("dimension", 1, "int32", "optional"),
        ("seed", 2, "fixed64", "optional"),
        ("index", 3, "int32", "optional"),
    ],
    "Answer": [("question", 1, "string", "optional"), ("bit", 2, "bool", "optional")],
    "Vote": [
        ("statistic", 1, "string", "optional"),
        ("seed", 2, "fixed64", "optional"),
        ("index", 3, "int32", "optional"),
    ],
    "PrivUnit": [
        ("epsilon", 1, "double", "optional"),
        ("candidates", 2, "int32", "optional"),
        ("top", 3, "int32", "optional"),
    ],
    "RandomisedResponse": [("epsilon", 1, "double", "oneof level")],
    "HashedResponse": [("epsilon", 1, "double", "optional"), ("groups", 2, "int32", "optional")],
    "GradientReport": [
        ("model_id", 1, "string", "optional"),
        ("round", 2, "int64", "optional"),
        ("user_id", 3, "string", "optional"),
        ("device_id", 4, "string", "optional"),
        ("sequence", 5, "int64", "optional"),
        ("created_at_ms", 6, "int64", "optional"),
        ("gradient_bound", 7, "double", "optional"),
        ("candidate", 14, "Candidate", "oneof gradient"),
        ("answer", 15, "Answer", "oneof gradient"),
        ("vote", 16, "Vote", "oneof gradient"),
        ("priv_unit", 25, "PrivUnit", "oneof declaration"),
        ("randomised_response", 26, "RandomisedResponse", "oneof declaration"),
        ("hashed_response", 27, "HashedResponse", "oneof declaration"),
    ],
}

# AdaptiveClip.Size
FEATURES = 1
GRADIENT = 2


def _file() -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(
        name="croupier_device/records.proto", package=PACKAGE, syntax="proto3")
    kinds = descriptor_pb2.FieldDescriptorProto
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        # Protobuf wants the groups that only mark presence behind the others.
        groups = list(dict.fromkeys(f[3][6:] for f in fields if f[3].startswith("oneof ")))
        groups += ["_" + f[0] for f in fields if f[3] == "optional"]
        for group in groups:
            message.oneof_decl.add(name=group)
        for field_name, number, kind, presence in fields:
            field = message.field.add(name=field_name, number=number)
            field.label = (
                kinds.LABEL_REPEATED if presence == "repeated" else kinds.LABEL_OPTIONAL)
            if kind in MESSAGES:
                field.type = kinds.TYPE_MESSAGE
                field.type_name = f".{PACKAGE}.{kind}"
            else:
                field.type = kinds.Type.Value("TYPE_" + kind.upper())
            if presence == "optional":
                field.proto3_optional = True
                field.oneof_index = groups.index("_" + field_name)
            elif presence != "repeated":
                field.oneof_index = groups.index(presence[6:])
    return file


# A pool of its own: a program may have generated code for croupier.proto, too.
_POOL = descriptor_pool.DescriptorPool()
_POOL.Add(_file())


def _class(name: str) -> Any:
    descriptor = _POOL.FindMessageTypeByName(f"{PACKAGE}.{name}")
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    return message_factory.MessageFactory(_POOL).GetPrototype(descriptor)


ModelUpdate: Any = _class("ModelUpdate")
GradientReport: Any = _class("GradientReport")
Feature: Any = _class("Feature")
