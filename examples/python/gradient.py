#!/usr/bin/env python3
"""One person's gradients, and nothing else: noise, ledger and Kafka are `croupier report`'s.

Reads the updates that `croupier follow` prints, and answers each with the gradient of the squared
loss (<w, x> - y)^2 / 2 on data of this script's own. Needs nothing but Python.
"""
import json
import sys

X, Y = [1.0, 0.4, -0.2], 0.9

for line in sys.stdin:
    update = json.loads(line)
    residual = sum(w * x for w, x in zip(update["weights"], X)) - Y
    # The round travels along: by the time this is read there may be a newer one.
    answer = {"round": update["round"], "gradient": [residual * x for x in X]}
    print(json.dumps(answer), flush=True)
