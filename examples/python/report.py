#!/usr/bin/env python3
"""A device in Python: follows a model and reports noisy gradients.

Requires Debian's python3-protobuf, python3-confluent-kafka and protobuf-compiler:

    protoc -I schemas/src/main/protobuf --python_out=examples/python croupier/v1/croupier.proto
    python3 examples/python/report.py --broker localhost:9092 --model demo --person ada --reports 3

The gradient is that of the squared loss (<w, x> - y)^2 / 2 on fixed data; `priv_unit` hides it, as
docs/priv-unit.md specifies, with the operating system's randomness. If the model asks this device a
question instead, it answers by one randomised bit. If the model's clip moves, the gradient is
scaled and clipped by that of the round.
"""
import argparse
import decimal
import hmac
import json
import math
import os
import secrets
import statistics
import time

from confluent_kafka import Consumer, Producer, TopicPartition

from croupier.v1 import croupier_pb2 as records


def newest_update(broker, topic, model, patience=60):
    """Reads the compacted topic to its end, read_committed, so that aborted updates are not seen."""
    consumer = Consumer({
        "bootstrap.servers": broker,
        "group.id": "croupier-python-example",
        "enable.auto.commit": False,
        "isolation.level": "read_committed",
    })
    newest, deadline = None, time.monotonic() + patience
    partitions = consumer.list_topics(topic, timeout=10).topics[topic].partitions
    consumer.assign([TopicPartition(topic, p, 0) for p in partitions])
    quiet = 0
    while time.monotonic() < deadline and not (newest is not None and quiet >= 3):
        message = consumer.poll(0.5)
        quiet = quiet + 1 if message is None else 0
        if message is not None and not message.error() and message.key() == model.encode():
            newest = records.ModelUpdate.FromString(message.value()) if message.value() else None
    consumer.close()
    if newest is None:
        raise SystemExit(f"no update of model {model!r} on {topic} within {patience} s")
    return newest


WORD = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
CANDIDATES = 256


def knots():
    """Quantiles of the normal law, the same integers everywhere: 2^24 x with P(X >= x) = r / 2^32."""
    normal = statistics.NormalDist()
    table = []
    for k in range(1, 6145):
        shift = max(0, (k >> 8) - 1)
        tail = ((k - (shift << 8)) << shift) / 2 ** 32
        table.append(math.floor(-normal.inv_cdf(tail) * 2 ** 24 + 0.5))
    end = -normal.inv_cdf(2 ** -32)
    return [math.floor((2 * normal.pdf(end) * 2 ** 32 - end) * 2 ** 24 + 0.5)] + table


KNOTS = knots()


def mix(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & WORD
    return z ^ (z >> 31)


def coordinate(bits):
    """A normal variate from 32 bits."""
    r = bits & 0x7FFFFFFF
    shift = (r | 256).bit_length() - 9
    k = (shift << 8) + (r >> shift)
    place = (2 * (r & ((1 << shift) - 1)) + 1) << (22 - shift)
    x = ((KNOTS[k] << 23) + (KNOTS[k + 1] - KNOTS[k]) * place) * 2.0 ** -47
    return -x if bits >> 31 else x


def vector(seed, pair, dimension):
    """The unit vector that is candidate 2 pair of a seed."""
    state, x = mix(seed + GOLDEN * (2 * pair + 1) & WORD), []
    while len(x) < dimension:
        state = state + GOLDEN & WORD
        word = mix(state)
        x += [coordinate(word & 0xFFFFFFFF), coordinate(word >> 32)]
    x = x[:dimension]
    norm = math.sqrt(sum(v * v for v in x))
    return [v / norm for v in x]


def best_top(dimension, epsilon):
    """K: the share of the cap of least variance, <v, u> >= gamma with gamma = 1 / M."""
    power, steps = dimension - 1, 4000
    angles = [math.pi / 2 * (i + 0.5) / steps for i in range(steps)]
    weights = [math.cos(angle) ** power for angle in angles]
    total = 2 * sum(weights)
    odds, gamma, share = math.expm1(epsilon), 0.0, 0.5
    for _ in range(40):
        share = sum(w for angle, w in zip(angles, weights) if math.sin(angle) >= gamma) / total
        moment = (1 - gamma * gamma) ** ((power + 1) / 2) / (power + 1)
        moment /= total * math.pi / 2 / steps
        gamma = odds * moment / (1 + odds * share)
    return max(1, min(CANDIDATES // 2, round(share * CANDIDATES)))


def survives(billionths):
    """True with probability exp(-billionths / 10^9), exactly: from uniform integers alone."""
    while billionths > 10 ** 9:
        if not survives(10 ** 9):
            return False
        billionths -= 10 ** 9
    k = 1
    while secrets.randbelow(k * 10 ** 9) < billionths:
        k += 1
    return k % 2 == 1


def choose(gradient, bound, billionths, top):
    """A seed, and one of the candidates that it expands to: epsilon-LDP, whatever the gradient."""
    seed = secrets.randbits(64)  # before the gradient is looked at
    if not all(math.isfinite(g) for g in gradient):
        gradient = [0.0] * len(gradient)  # a missing report would disclose it
    norm = math.sqrt(sum(g * g for g in gradient))
    scale = 1 / max(norm, bound)
    lifted = [g * scale for g in gradient]
    lifted.append(math.sqrt(max(0.0, 1 - sum(g * g for g in lifted))))
    heights = [sum(a * b for a, b in zip(vector(seed, i, len(lifted)), lifted))
               for i in range(CANDIDATES // 2)]
    order = sorted(range(len(heights)), key=lambda i: -abs(heights[i]))  # ties by index
    chosen = {2 * i + (heights[i] < 0) for i in order[:top]}
    while True:
        index = secrets.randbelow(CANDIDATES)
        kept = survives(billionths)  # also for the top, so that the time depends on neither
        if index in chosen or kept:
            return seed, index


FEATURES = records.AdaptiveClip.FEATURES
GRADIENT = records.AdaptiveClip.GRADIENT


def norm(vector):
    """The L2 norm; infinite if a value is not finite, since an error would disclose it."""
    return math.hypot(*vector) if all(map(math.isfinite, vector)) else math.inf


def size(update, x, gradient):
    """What a moving clip bounds: a bound on the gradient by the features, or its norm."""
    if update.size == FEATURES:
        return update.slope_bound * norm(x)
    if update.size == GRADIENT:
        return norm(gradient)
    raise SystemExit(f"the clip of {update.model_id} bounds a size that this example doesn't know")


def blank_report(update, person, device):
    return records.GradientReport(
        model_id=update.model_id, round=update.round, user_id=person, device_id=device[0],
        sequence=device[1], created_at_ms=int(time.time()) // 3600 * 3600 * 1000)


def billionths_of(epsilon):
    return math.floor(decimal.Decimal(repr(epsilon)) * 10 ** 9)


def noisy_report(update, x, gradient, person, device, epsilon):
    """What a device sends: the declaration, the seed and the index."""
    report = blank_report(update, person, device)
    if update.HasField("size"):
        # Of the round: it may be another one in the next round.
        report.gradient_bound = update.gradient_bound
        factor = update.gradient_bound / max(update.gradient_bound, size(update, x, gradient))
        gradient = [factor * g for g in gradient]
    billionths = billionths_of(epsilon)
    top = best_top(len(gradient), epsilon)
    # Clips to the bound, whatever the size was: privacy doesn't depend on it.
    seed, index = choose(gradient, update.gradient_bound, billionths, top)
    report.candidate.dimension = len(gradient)
    report.candidate.seed = seed
    report.candidate.index = index
    report.priv_unit.epsilon = billionths / 1e9
    report.priv_unit.candidates = CANDIDATES
    report.priv_unit.top = top
    return report


def noisy_answer(update, question, truth, person, device, epsilon):
    """One bit, which is not the truth with probability 1 / (1 + exp(epsilon)), rounded up."""
    billionths = billionths_of(epsilon)
    flip = secrets.randbelow(2 ** 53) < math.ceil(2 ** 53 / (1 + math.exp(billionths / 1e9))) + 2
    report = blank_report(update, person, device)
    report.answer.question = question
    report.answer.bit = truth != flip
    report.randomised_response.epsilon = billionths / 1e9
    return report


def level(text):
    """An epsilon for which 256 candidates suffice."""
    epsilon = float(text)
    if not 1e-9 <= epsilon <= 4:
        raise argparse.ArgumentTypeError(f"epsilon is {text}; it must be from 1e-9 to 4")
    return epsilon


def remembered(path):
    """The device's id, last sequence number and secret."""
    device = {"device_id": secrets.token_hex(8), "sequence": 0, "secret": secrets.token_hex(32)}
    try:
        with open(path, encoding="utf-8") as file:
            device.update(json.load(file))
    except FileNotFoundError:
        pass
    remember(device, path)
    return device


def remember(device, path):
    """Writes the device's file durably and atomically."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(device, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".new", path)


def answers(device, update):
    """Whether to answer this round, with the model's answer probability.

    The decision is a keyed hash of the round, so it never changes while the secret is kept. With
    a fresh coin, a device that asks or restarts often would answer too often.
    """
    if not update.HasField("answer_probability"):
        return True
    return lot(device, update, "") < update.answer_probability


def asked(device, update):
    """The name of the question that this round asks instead of for a gradient, or None.

    With a moving clip, `clip` is one of the questions; while the model only searches for its clip,
    question_probability is 1, and no other question is asked.
    """
    questions = [estimate.question.name for estimate in update.estimates]
    if update.HasField("size"):
        if update.question_probability >= 1:
            return "clip"
        questions.append("clip")
    if not questions or lot(device, update, " question") >= update.question_probability:
        return None
    return questions[int(lot(device, update, " which question") * len(questions))]


def truth(update, question, x, y, gradient):
    """The true answer, or None if this device's data has none."""
    if question == "clip":
        return size(update, x, gradient) > update.gradient_bound
    for estimate in update.estimates:
        if estimate.question.name == question and estimate.question.HasField("loss_above"):
            residual = sum(w * v for w, v in zip(update.average, x)) - y
            return residual * residual / 2 > estimate.question.loss_above.threshold
    return None


def lot(device, update, purpose):
    """A number in [0, 1) that depends on the round and on nothing else."""
    digest = hmac.digest(bytes.fromhex(device["secret"]),
                         f"{update.round} {update.model_id}{purpose}".encode(), "sha256")
    return (int.from_bytes(digest[:8], "big") >> 11) / 2 ** 53


def next_sequence(device, path):
    """The next sequence number, stored durably before it is used, so none is used twice."""
    device["sequence"] += 1
    remember(device, path)
    return device["device_id"], device["sequence"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--broker", required=True, help="HOST:PORT of a Kafka broker")
    parser.add_argument("--prefix", default="croupier", help="first part of the topics' names")
    parser.add_argument("--model", required=True)
    parser.add_argument("--person", required=True, help="user_id, and the records' key")
    parser.add_argument("--reports", type=int, default=1,
                        help="number of attempts; rounds that this device is not chosen to answer"
                             " are skipped")
    parser.add_argument("--epsilon", type=level, default=2.0,
                        help="privacy spent by each report, at most 4")
    parser.add_argument("--device", default="croupier-device.json",
                        help="file with this device's id, last sequence number and secret")
    options = parser.parse_args()

    device = remembered(options.device)
    # Java clients choose the partition of a key by murmur2; all producers must use the same one.
    producer = Producer({"bootstrap.servers": options.broker, "acks": "all",
                         "enable.idempotence": True, "partitioner": "murmur2_random"})
    for _ in range(options.reports):
        update = newest_update(options.broker, f"{options.prefix}.updates", options.model)
        if not answers(device, update):
            print(f"{options.person} is not chosen to answer round {update.round}")
            continue
        # Decided before the data is looked at.
        question = asked(device, update)
        x, y = [1.0] + [0.1 * j for j in range(1, len(update.weights))], 1.0
        residual = sum(w * v for w, v in zip(update.weights, x)) - y
        gradient = [residual * v for v in x]
        if question is None:
            report = noisy_report(update, x, gradient, options.person,
                                  next_sequence(device, options.device), options.epsilon)
        else:
            answer = truth(update, question, x, y, gradient)
            if answer is None:
                print(f"{options.person} has no answer to {question} in round {update.round}")
                continue
            report = noisy_answer(update, question, answer, options.person,
                                  next_sequence(device, options.device), options.epsilon)
        # The privacy is spent from here on. A real device stores the bytes until they are
        # acknowledged, and resends the same bytes after a crash: new noise would spend twice.
        producer.produce(f"{options.prefix}.gradients", report.SerializeToString(),
                         key=options.person.encode())
        producer.flush()
        print(f"{options.person} answered {question or 'by a gradient'} in round {update.round} of"
              f" {update.model_id} and spent epsilon {options.epsilon}")


if __name__ == "__main__":
    main()
