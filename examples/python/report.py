#!/usr/bin/env python3
"""A device in Python: follows a model and reports noisy gradients over Kafka.

Requires the package of this project and Kafka's client (docs/build/python.md):

    pip install ./devices/python confluent-kafka
    python3 examples/python/report.py --broker localhost:9092 --model demo --person ada --reports 3

The gradient is that of the squared loss (<w, x> - y)^2 / 2 on fixed data. The package hides it,
answers the model's questions, and keeps the person's ledger; this program adds the data and Kafka.
"""
import argparse
import time

from confluent_kafka import Consumer, Producer, TopicPartition

from croupier_device import AlreadyReportedError, Device, Ledger, Limit, Snapshot, size_of_linear


def updates(broker, topic, model, patience=60):
    """The newest update of a model, then each newer one; ends the program after a time without any."""
    # read_committed, since records of an unfinished transaction may be aborted.
    consumer = Consumer({"bootstrap.servers": broker, "isolation.level": "read_committed",
                         "group.id": "croupier-python-example", "enable.auto.commit": False})
    partitions = consumer.list_topics(topic, timeout=10).topics[topic].partitions
    consumer.assign([TopicPartition(topic, p, 0) for p in partitions])
    newest, deadline = None, time.monotonic() + patience
    try:
        while time.monotonic() < deadline:
            message = consumer.poll(1.0)
            if message is None:
                # The end of the topic, as far as it is written.
                if newest is not None:
                    yield Snapshot.parse(newest)
                    newest, deadline = None, time.monotonic() + patience
            elif not message.error() and message.key() == model.encode():
                newest = message.value()
    finally:
        consumer.close()
    raise SystemExit(f"no update of model {model!r} on {topic} within {patience} s")


class Topic:
    """A transport of reports: the topic of gradients."""

    names_user = True

    def __init__(self, broker, topic):
        # Java clients choose the partition of a key by murmur2; all producers must use the same one.
        self.producer = Producer({"bootstrap.servers": broker, "acks": "all", "enable.idempotence": True,
                                  "partitioner": "murmur2_random"})
        self.topic = topic

    def send(self, person, report):
        outcomes = []
        self.producer.produce(self.topic, report, key=person.encode(),
                              on_delivery=lambda error, message: outcomes.append(error))
        self.producer.flush()
        if outcomes != [None]:
            raise ConnectionError(f"Kafka didn't acknowledge the report: {outcomes}")


class Person:
    """The person's data, at one update."""

    def __init__(self, snapshot):
        self.snapshot = snapshot
        self.x, self.y = [1.0] + [0.1 * j for j in range(1, len(snapshot.weights))], 1.0

    def residual(self, weights):
        return sum(w * v for w, v in zip(weights, self.x)) - self.y

    def row(self):
        return [*self.x, self.y]

    def gradient(self):
        residual = self.residual(self.snapshot.weights)
        return [residual * v for v in self.x]

    def size(self):
        return size_of_linear(self.snapshot.terms, self.x, self.gradient())

    def can_answer(self, question):
        return question.kind == "loss_above"

    def answer(self, question):
        # Beyond 1e154, ** 2 would raise OverflowError.
        residual = self.residual(self.snapshot.average)
        return residual * residual / 2 > question.threshold


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--broker", required=True, help="HOST:PORT of a Kafka broker")
    parser.add_argument("--prefix", default="croupier", help="first part of the topics' names")
    parser.add_argument("--model", required=True)
    parser.add_argument("--person", required=True, help="user_id, and the records' key")
    parser.add_argument("--reports", type=int, default=1, help="how often to report the same data, each time at the cost of --epsilon")
    parser.add_argument("--epsilon", type=float, default=2.0, help="privacy spent by each report, at most 16")
    parser.add_argument("--limit", type=float, help="most that the person spends; default: no limit")
    parser.add_argument("--ledger", default="croupier-device.ledger", help="file with the person's account")
    options = parser.parse_args()

    with Ledger(options.ledger, options.person, Limit(epsilon=options.limit)) as ledger:
        device = Device(ledger, Topic(options.broker, f"{options.prefix}.gradients"), options.epsilon)
        device.resend()
        reports = 0
        for snapshot in updates(options.broker, f"{options.prefix}.updates", options.model):
            try:
                sent = device.take_part(snapshot, Person(snapshot), times=options.reports)
            except AlreadyReportedError as error:
                raise SystemExit(str(error)) from None
            if sent is not None:
                reports += 1
                print(f"{options.person} sent report {sent.sequence} ({sent.kind}) in round {snapshot.round} of"
                      f" {snapshot.model_id}, and has spent epsilon {ledger.spent().epsilon}", flush=True)
            if reports == options.reports:
                return


if __name__ == "__main__":
    main()
