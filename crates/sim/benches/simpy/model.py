"""The run of the benches as a SimPy model: one stream, four workers, 2 % crashes, backoff.

python model.py MESSAGES [SEED]; prints messages, events, milliseconds and events per second as JSON. `events` are the steps of SimPy's own
event loop, which are not the events of the simulator's traces: compare by messages.

Modelled as in ../shop/mod.rs: a message every millisecond; pulls wait in one line, and one that is not
filled goes to its back; redeliveries go first; at most 1000 in flight; the deadline of an attempt comes from
backoff; a worker works through what it gets, dies with a message 2 % of the time, and is back after a millisecond.
"""

import json
import random
import sys
import time
from collections import deque

import simpy

EVERY, NETWORK, EXPIRES, RESTART = 1.0, 0.2, 5_000.0, 1.0  # milliseconds, as everywhere here
SERVICE_MEAN, CRASH, BATCH, WORKERS = 2.5, 0.02, 10, 4
BACKOFF, MAX_DELIVER, MAX_ACK_PENDING = (500.0, 1_000.0, 5_000.0), 5, 1_000


class Pull:
    """A request of a worker for more messages."""

    __slots__ = ("inbox", "left", "open")

    def __init__(self, inbox):
        self.inbox, self.left, self.open = inbox, BATCH, True


class Consumer:
    """The stream and its consumer: new messages, what is in flight, what is to be delivered again."""

    def __init__(self, env):
        self.env = env
        self.fresh, self.again, self.waiting = deque(), deque(), deque()
        self.pending = {}  # sequence -> attempt
        self.acked = self.redelivered = self.given_up = 0

    def serve(self):
        while self.waiting:
            pull = self.waiting[0]
            if not pull.open:
                self.waiting.popleft()
            elif self.again:
                seq = self.again.popleft()
                if seq not in self.pending:
                    continue
                if self.pending[seq] == MAX_DELIVER:
                    del self.pending[seq]
                    self.given_up += 1
                    continue
                self.redelivered += 1
                self.deliver(seq, self.pending[seq] + 1, pull)
            elif self.fresh and len(self.pending) < MAX_ACK_PENDING:
                self.deliver(self.fresh.popleft(), 1, pull)
            else:
                return

    def deliver(self, seq, attempt, pull):
        self.pending[seq] = attempt
        pull.left -= 1
        self.waiting.popleft()
        last = pull.left == 0
        pull.open = not last
        if not last:
            self.waiting.append(pull)
        self.env.process(self.deadline(seq, attempt))
        self.env.process(self.send(pull.inbox, seq, last))

    def send(self, inbox, seq, last):
        yield self.env.timeout(NETWORK)
        inbox.put((seq, last))

    def deadline(self, seq, attempt):
        yield self.env.timeout(BACKOFF[min(attempt, len(BACKOFF)) - 1])
        if self.pending.get(seq) == attempt:
            self.again.append(seq)
            self.serve()

    def ack(self, seq):
        yield self.env.timeout(NETWORK)
        if self.pending.pop(seq, None) is not None:
            self.acked += 1
            self.serve()

    def pull(self, pull):
        yield self.env.timeout(NETWORK)
        self.waiting.append(pull)
        self.serve()
        yield self.env.timeout(EXPIRES)
        if pull.open:
            pull.open = False
            yield self.env.timeout(NETWORK)
            pull.inbox.put((None, True))


def publisher(env, consumer, messages):
    for seq in range(messages):
        consumer.fresh.append(seq)
        consumer.serve()
        yield env.timeout(EVERY)


def worker(env, consumer, rng):
    while True:
        pull = Pull(simpy.Store(env))
        env.process(consumer.pull(pull))
        last = False
        while not last:
            seq, last = yield pull.inbox.get()
            if seq is None:
                continue
            yield env.timeout(rng.expovariate(1 / SERVICE_MEAN))
            if rng.random() < CRASH:
                pull.open = False
                yield env.timeout(RESTART)
                break
            env.process(consumer.ack(seq))


def simulate(messages, seed, counted):
    """One run: its consumer, and the steps of the event loop if they are counted, which takes time itself."""
    rng = random.Random(seed)
    env = simpy.Environment()
    consumer = Consumer(env)
    env.process(publisher(env, consumer, messages))
    for _ in range(WORKERS):
        env.process(worker(env, consumer, rng))
    end, events = messages * EVERY + 60_000, 0
    while counted and env.peek() < end:
        env.step()
        events += 1
    env.run(until=end)
    if consumer.acked + consumer.given_up != messages:
        sys.exit(f"{consumer.acked} acked and {consumer.given_up} given up of {messages}: the model lost some")
    return consumer, events


def main():
    messages = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    _, events = simulate(messages, seed, counted=True)
    start = time.perf_counter()
    consumer, _ = simulate(messages, seed, counted=False)
    seconds = time.perf_counter() - start
    print(json.dumps({
        "simpy": simpy.__version__, "messages": messages, "events": events, "ms": seconds * 1e3,
        "events_per_s": events / seconds, "redelivered": consumer.redelivered, "given_up": consumer.given_up,
    }))


if __name__ == "__main__":
    main()
