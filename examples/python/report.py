#!/usr/bin/env python3
"""A device in Python: follows a model and reports noisy gradients.

Requires Debian's python3-protobuf, python3-confluent-kafka and protobuf-compiler:

    protoc -I schemas/src/main/protobuf --python_out=examples/python croupier/v1/croupier.proto
    python3 examples/python/report.py --broker localhost:9092 --model demo --person ada --reports 3

The gradient is that of the squared loss (<w, x> - y)^2 / 2 on fixed data; the noise is that of
`l2_laplace`, drawn from the operating system's generator.
"""
import argparse
import hmac
import json
import math
import os
import random
import secrets
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


def l2_laplace(dimension, bound, epsilon, generator):
    """Density proportional to exp(-(epsilon / 2G) ||z||): uniform direction, Gamma(d) length."""
    direction = [generator.gauss(0, 1) for _ in range(dimension)]
    norm = math.sqrt(sum(z * z for z in direction))
    length = generator.gammavariate(dimension, 2 * bound / epsilon)
    return [length * z / norm for z in direction]


def noisy_report(update, gradient, person, device, epsilon, generator):
    """Clips to G, rounds towards zero to the grid, adds noise, rounds to the grid."""
    bound, step = update.gradient_bound, 2.0 ** update.grid_exponent
    if not all(math.isfinite(g) for g in gradient):
        gradient = [0.0] * len(gradient)  # a missing report would disclose it
    norm = math.sqrt(sum(g * g for g in gradient))
    scale = min(1.0, bound / norm) if norm > 0 else 1.0
    noise = l2_laplace(len(gradient), bound, epsilon, generator)
    report = records.GradientReport(
        model_id=update.model_id, round=update.round, user_id=person, device_id=device[0],
        sequence=device[1], created_at_ms=int(time.time()) // 3600 * 3600 * 1000)
    report.grid.values.extend(
        round((math.trunc(g * scale / step) * step + z) / step) for g, z in zip(gradient, noise))
    report.l2_laplace.epsilon = epsilon
    return report


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
    lot = hmac.digest(bytes.fromhex(device["secret"]),
                      f"{update.round} {update.model_id}".encode(), "sha256")
    return (int.from_bytes(lot[:8], "big") >> 11) / 2 ** 53 < update.answer_probability


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
    parser.add_argument("--epsilon", type=float, default=4.0, help="privacy spent by each report")
    parser.add_argument("--device", default="croupier-device.json",
                        help="file with this device's id, last sequence number and secret")
    options = parser.parse_args()

    device = remembered(options.device)
    generator = random.SystemRandom()
    # Java clients choose the partition of a key by murmur2; all producers must use the same one.
    producer = Producer({"bootstrap.servers": options.broker, "acks": "all",
                         "enable.idempotence": True, "partitioner": "murmur2_random"})
    for _ in range(options.reports):
        update = newest_update(options.broker, f"{options.prefix}.updates", options.model)
        if not answers(device, update):
            print(f"{options.person} is not chosen to answer round {update.round}")
            continue
        x = [1.0] + [0.1 * j for j in range(1, len(update.weights))]
        residual = sum(w * v for w, v in zip(update.weights, x)) - 1.0
        report = noisy_report(update, [residual * v for v in x], options.person,
                              next_sequence(device, options.device), options.epsilon, generator)
        # The privacy is spent from here on. A real device stores the bytes until they are
        # acknowledged, and resends the same bytes after a crash: new noise would spend twice.
        producer.produce(f"{options.prefix}.gradients", report.SerializeToString(),
                         key=options.person.encode())
        producer.flush()
        print(f"{options.person} answered round {update.round} of {update.model_id}"
              f" and spent epsilon {options.epsilon}")


if __name__ == "__main__":
    main()
