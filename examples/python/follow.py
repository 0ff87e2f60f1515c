#!/usr/bin/env python3
"""Follows a model from Python: prints every committed update.

Requires the same packages as report.py:

    python3 examples/python/follow.py --broker localhost:9092 --model demo --updates 3
"""
import argparse

from confluent_kafka import Consumer, TopicPartition

from croupier_device import ModelUpdate


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--broker", required=True, help="HOST:PORT of a Kafka broker")
    parser.add_argument("--prefix", default="croupier", help="first part of the topics' names")
    parser.add_argument("--model", required=True)
    parser.add_argument("--updates", type=int, default=0, help="number of updates after which to stop; 0: never")
    options = parser.parse_args()

    topic = f"{options.prefix}.updates"
    # read_committed, since records of an unfinished transaction may be aborted.
    consumer = Consumer({"bootstrap.servers": options.broker, "isolation.level": "read_committed",
                         "group.id": "croupier-python-example", "enable.auto.commit": False})
    partitions = consumer.list_topics(topic, timeout=10).topics[topic].partitions
    consumer.assign([TopicPartition(topic, p, 0) for p in partitions])
    seen = 0
    try:
        while options.updates == 0 or seen < options.updates:
            message = consumer.poll(1.0)
            if message is None or message.error() or message.key() != options.model.encode():
                continue
            seen += 1
            if message.value() is None:
                print(f"{options.model} was retired", flush=True)
                continue
            update = ModelUpdate.FromString(message.value())
            average = ", ".join(f"{w:.4g}" for w in update.average[:5])
            clip = f", clip {update.gradient_bound:.4g}" if update.HasField("size") else ""
            print(f"round {update.round}: {update.used} reports used{clip}, average [{average}, ...]",
                  flush=True)
    except KeyboardInterrupt:
        pass
    finally:
        consumer.close()


if __name__ == "__main__":
    main()
