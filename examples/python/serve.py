#!/usr/bin/env python3
"""Serves predictions of a model over HTTP: a plain consumer of the updates topic.

Requires the same packages as report.py:

    python3 examples/python/serve.py --broker localhost:9092 --model demo --port 8091
    curl 'http://127.0.0.1:8091/predict?x=0.5,-1,2'

The score is the inner product of the features x and the published average. For a logistic loss, the predicted label is
its sign. If the model's spec describes its features, a query may name them instead: /predict?walked=45&shift=night.
If the spec states what the model predicts, the query must name them, and the answer has the prediction instead.
"""
import argparse
import json
import math
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from confluent_kafka import Consumer, KafkaError, TopicPartition

from croupier_device import CroupierError, Features, Snapshot


class Model:
    """The newest committed update of a model."""

    def __init__(self, broker, topic, name):
        self.name = name
        # A snapshot, replaced as a whole, since other threads read it; None: not published, or retired.
        self.newest = None
        self.caught_up = False
        # read_committed, since records of an unfinished transaction may be aborted.
        self.consumer = Consumer({"bootstrap.servers": broker, "isolation.level": "read_committed",
                                  "group.id": "croupier-python-example", "enable.auto.commit": False,
                                  "enable.partition.eof": True})
        partitions = self.consumer.list_topics(topic, timeout=10).topics[topic].partitions
        self.unread = set(partitions)
        # The topic is compacted: from its beginning, it contains the newest update of every model.
        self.consumer.assign([TopicPartition(topic, p, 0) for p in partitions])

    def follow(self):
        try:
            self.read()
        finally:
            # An update that can't be read: later requests are refused instead of answered with an old model.
            self.caught_up = False

    def read(self):
        while True:
            message = self.consumer.poll(1.0)
            if message is None:
                continue
            if message.error():
                if message.error().code() == KafkaError._PARTITION_EOF:
                    self.unread.discard(message.partition())
                    self.caught_up = not self.unread
            elif message.key() == self.name.encode():
                if message.value() is None:
                    self.newest = None
                else:
                    self.newest = Snapshot.parse(message.value())


def row(query, features):
    """The values by name, of the types that the features take."""
    return {**query, **{f.name: typed(f, query[f.name]) for f in features if f.name in query}}


def vector(query, features):
    """The vector x itself, or that of the values of the features by name."""
    if "x" not in query and features:
        return Features(features).vector(row(query, features))
    try:
        return [float(value) for value in query["x"].split(",")]
    except (KeyError, ValueError):
        # Not the cause: it contains the value.
        raise ValueError("x must be numbers, separated by commas") from None


def typed(feature, text):
    """A text of another kind stays one, which the features refuse."""
    kind = feature.WhichOneof("kind")
    if kind == "yes_no":
        return {"true": True, "false": False}.get(text, text)
    try:
        return float(text) if kind in ("range", "moments") else text
    except ValueError:
        return text


def handler(model):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            url = urlsplit(self.path)
            if url.path != "/predict":
                return self.answer(404, {"error": "not found; the only path is /predict"})
            if not model.caught_up:
                return self.answer(503, {"error": "the topic has not been read yet"}, {"Retry-After": "1"})
            newest = model.newest
            if newest is None:
                return self.answer(404, {"error": f"model {model.name} is not published"})
            query, average, known = dict(parse_qsl(url.query)), newest.average, {"model": model.name, "round": newest.round}
            try:
                if newest.predicts is not None:
                    if "x" in query and all(f.name != "x" for f in newest.described):
                        raise ValueError(f"the model predicts {newest.predicts.label}; name its features instead of x")
                    return self.answer(200, {**known, "prediction": newest.predict(row(query, newest.described))})
                x = vector(query, newest.described)
            except (CroupierError, ValueError) as error:
                return self.answer(400, {"error": str(error)})
            if len(x) != len(average) or not all(map(math.isfinite, x)):
                return self.answer(400, {"error": f"x must be {len(average)} finite numbers"})
            score = sum(w * value for w, value in zip(average, x))
            return self.answer(200, {**known, "score": score})

        def answer(self, status, body, headers=None):
            content = (json.dumps(body) + "\n").encode()
            self.send_response(status)
            for name, value in {**(headers or {}), "Content-Type": "application/json",
                                "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments):
            """Logs nothing: the features in a request are about a person."""

    return Handler


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--broker", required=True, help="HOST:PORT of a Kafka broker")
    parser.add_argument("--prefix", default="croupier", help="first part of the topics' names")
    parser.add_argument("--model", required=True)
    parser.add_argument("--port", type=int, default=8091, help="port on 127.0.0.1 to listen on; 0: any free port")
    options = parser.parse_args()

    model = Model(options.broker, f"{options.prefix}.updates", options.model)
    threading.Thread(target=model.follow, daemon=True).start()
    server = ThreadingHTTPServer(("127.0.0.1", options.port), handler(model))
    print(f"Serving http://127.0.0.1:{server.server_port}/predict", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
