"""The table of records against croupier.proto, where the package is tested within the project."""
import pathlib
import re
import unittest
from typing import Dict, Tuple

from croupier_device.records import MESSAGES, GradientReport, ModelUpdate

PROTO = pathlib.Path(__file__).parents[3] / "schemas/src/main/protobuf/croupier/v1/croupier.proto"
ENUMERATIONS = {"AdaptiveClip.Size": "int32"}


def fields_of(proto: str) -> Dict[str, Dict[str, Tuple[int, str, str]]]:
    """Fields of the messages, nested ones included: name to number, type and presence."""
    found: Dict[str, Dict[str, Tuple[int, str, str]]] = {}
    messages = [
        message for indent in ["", "  "] for message in re.findall(
            rf"^{indent}message (\w+) \{{(?:\}}|\n(.*?)^{indent}\}})", proto, re.MULTILINE | re.DOTALL)]
    for name, body in messages:
        group, depth, fields = "", 0, {}
        for line in body.splitlines():
            line = line.split("//")[0].strip()
            opened = re.match(r"oneof (\w+) \{", line)
            field = re.match(r"(optional |repeated )?([\w.]+) (\w+) = (\d+);", line)
            if opened:
                group = f"oneof {opened[1]}"
            elif line.endswith("{"):
                depth += 1
            elif line == "}" and depth > 0:
                depth -= 1
            elif line == "}":
                group = ""
            elif field and depth == 0:
                fields[field[3]] = (
                    int(field[4]), ENUMERATIONS.get(field[2], field[2]), group or (field[1] or "").strip())
        found[name] = fields
    return found


class RecordsTest(unittest.TestCase):
    @unittest.skipUnless(PROTO.exists(), "croupier.proto is part of the project, not of the package")
    def test_the_table_is_part_of_the_schema(self) -> None:
        schema = fields_of(PROTO.read_text(encoding="utf-8"))
        count = 0
        for message, fields in MESSAGES.items():
            for name, number, kind, presence in fields:
                with self.subTest(message=message, field=name):
                    self.assertEqual(schema[message][name], (number, kind, presence))
                    count += 1
        self.assertEqual(count, sum(map(len, MESSAGES.values())))
        self.assertGreater(count, 30)

    def test_presence_is_kept(self) -> None:
        update = ModelUpdate.FromString(ModelUpdate(round=0, size=7).SerializeToString())
        self.assertTrue(update.HasField("round"))
        self.assertFalse(update.HasField("slope_bound"))
        self.assertEqual(update.size, 7)

    def test_a_report_has_one_gradient(self) -> None:
        report = GradientReport()
        report.candidate.index = 1
        report.answer.bit = True
        self.assertEqual(report.WhichOneof("gradient"), "answer")
        self.assertFalse(report.HasField("candidate"))


if __name__ == "__main__":
    unittest.main()
