"""The optimistic-locking comparison in plain Python, to hold the simulator's speed against.

Clients race to write one row that has a version. Every message is an event on a heap, with a network delay of
|N(10 ms, 2 ms)|. A client reads the row, then writes it with the version that it read; when another write came
first, it waits as its rule says and reads again.

    python3 bench/aws_backoff.py [runs per point]

Prints a CSV of means, and on stderr the seconds and the number of messages.
"""

import heapq
import itertools
import random
import sys
import time

BASE_MS = 5.0
CAP_MS = 2000.0
DELAY_MS = 10.0
DEVIATION_MS = 2.0


def expo(attempt):
    return min(CAP_MS, BASE_MS * 2**attempt)


class NoBackoff:
    name = "None"

    def wait(self, attempt):
        return 0.0


class Exponential:
    name = "Exponential"

    def wait(self, attempt):
        return expo(attempt)


class EqualJitter:
    name = "EqualJitter"

    def wait(self, attempt):
        half = expo(attempt) / 2
        return half + random.uniform(0, half)


class FullJitter:
    name = "FullJitter"

    def wait(self, attempt):
        return random.uniform(0, expo(attempt))


class Decorrelated:
    name = "Decorr"

    def __init__(self):
        self.last = BASE_MS

    def wait(self, attempt):
        self.last = min(CAP_MS, random.uniform(BASE_MS, self.last * 3))
        return self.last


def network():
    return abs(random.normalvariate(DELAY_MS, DEVIATION_MS))


class Row:
    """The server: one row, and how often it was asked to write."""

    def __init__(self):
        self.version = 0
        self.calls = 0

    def on_read(self, now, client):
        return now + network(), client.on_version, self.version

    def on_write(self, now, request):
        client, version = request
        self.calls += 1
        written = version == self.version
        if written:
            self.version += 1
        return now + network(), client.on_written, written


class Client:
    def __init__(self, row, rule):
        self.row = row
        self.rule = rule
        self.attempt = 0

    def start(self, now):
        return now + network(), self.row.on_read, self

    def on_version(self, now, version):
        return now + network(), self.row.on_write, (self, version)

    def on_written(self, now, written):
        if written:
            return None
        self.attempt += 1
        return now + network() + self.rule.wait(self.attempt), self.row.on_read, self


def race(clients, rule):
    """One run: how many writes were asked for, when the last answer came, how many messages it took."""
    row = Row()
    order = itertools.count()
    heap = []

    def post(message):
        at, handler, body = message
        heapq.heappush(heap, (at, next(order), handler, body))

    for _ in range(clients):
        post(Client(row, rule()).start(0.0))
    now = 0.0
    while heap:
        now, _, handler, body = heapq.heappop(heap)
        message = handler(now, body)
        if message is not None:
            post(message)
    return row.calls, now, next(order)


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    random.seed(1)
    began = time.perf_counter()
    messages = 0
    print("clients,algorithm,runs,mean_completion_ms,mean_calls")
    for clients in range(10, 200, 10):
        for rule in (Exponential, Decorrelated, EqualJitter, FullJitter, NoBackoff):
            results = [race(clients, rule) for _ in range(runs)]
            messages += sum(result[2] for result in results)
            completion = sum(result[1] for result in results) / runs
            calls = sum(result[0] for result in results) / runs
            print(f"{clients},{rule.name},{runs},{completion:.2f},{calls:.3f}")
    seconds = time.perf_counter() - began
    print(f"{seconds:.3f} s, {messages} messages", file=sys.stderr)


if __name__ == "__main__":
    main()
