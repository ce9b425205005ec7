//! Hand-made runs for tests.

use delivery_sim::scenario::{
    Consumer, Op, Publish, Scenario, Service, Step, StreamConfig, Worker,
};
use delivery_sim::trace::{
    Cause, Client, ClientId, ClientKind, ConsumerId, ConsumerName, Delivery, Effect, Event,
    Message, Msg, Record, Reply, StreamId, Trace,
};
use delivery_sim::{Dur, Time};

/// One network hop.
pub(crate) const HOP: Dur = Dur(200_000);
const CONSUMER: ConsumerId = ConsumerId(0);

/// Writes a trace event by event: one stream `ORDERS`, one consumer `orders`, one publisher, workers by name.
pub(crate) struct Script {
    trace: Trace,
    ack_wait: Dur,
}

impl Script {
    pub(crate) fn new(workers: &[&str], ack_wait: Dur, end: Time) -> Self {
        let mut scenario = Scenario { end, ..Scenario::default() };
        scenario.streams.push(StreamConfig { name: "ORDERS".into(), ..StreamConfig::default() });
        let mut consumer = Consumer { stream: "ORDERS".into(), ..Consumer::default() };
        consumer.config.durable_name = "orders".into();
        consumer.config.ack_wait = ack_wait;
        scenario.consumers.push(consumer);
        let mut clients =
            vec![Client { name: "publisher".into(), kind: ClientKind::Publisher, consumer: None }];
        for name in workers {
            scenario.workers.push(Worker { name: (*name).into(), ..Worker::default() });
            clients.push(Client {
                name: (*name).into(),
                kind: ClientKind::Worker,
                consumer: Some(CONSUMER),
            });
        }
        Self {
            trace: Trace {
                scenario,
                streams: vec!["ORDERS".into()],
                consumers: vec![ConsumerName { stream: StreamId(0), name: "orders".into() }],
                clients,
                messages: Vec::new(),
                records: Vec::new(),
                infos: Vec::new(),
                answers: Vec::new(),
                end,
                cut: None,
            },
            ack_wait,
        }
    }

    pub(crate) fn add(&mut self, at: Time, event: Event) -> &mut Self {
        self.trace.records.push(Record { at, event });
        self
    }

    /// Publishes `count` orders at once; they are stored one hop later.
    pub(crate) fn publish(&mut self, at: Time, count: u32) -> &mut Self {
        let step = self.trace.scenario.timeline.len() as u32;
        let publish = Publish { data: "order-{i}".into(), count, ..Publish::default() };
        self.trace.scenario.timeline.push(Step { at, op: Op::Publish(publish) });
        for n in 1..=count {
            let msg = Msg(self.trace.messages.len() as u32);
            self.trace.messages.push(Message::Published { step, n });
            self.add(at, Event::Published { msg, by: ClientId(0) });
            self.add(
                at + HOP,
                Event::Stored { msg, stream: StreamId(0), seq: u64::from(msg.0) + 1 },
            );
        }
        self
    }

    pub(crate) fn start(&mut self, at: Time, worker: u16) -> &mut Self {
        self.add(at, Event::Started { client: ClientId(worker) });
        self.add(at, Event::Pulled { by: ClientId(worker), consumer: CONSUMER, batch: 1 })
    }

    /// The server sends message `n` (from 1) to a worker; it arrives a hop later.
    pub(crate) fn deliver(
        &mut self,
        at: Time,
        n: u32,
        attempt: u32,
        worker: u16,
        cause: Cause,
    ) -> &mut Self {
        let (delivery, to) = (delivery(n, attempt), ClientId(worker));
        let deadline = at + self.ack_wait;
        self.add(
            at,
            Event::Delivered { delivery, to, consumer_seq: 1, num_pending: 0, deadline, cause },
        );
        self.add(at + HOP, Event::Arrived { delivery, at: to })
    }

    pub(crate) fn work(&mut self, at: Time, n: u32, attempt: u32, worker: u16) -> &mut Self {
        self.add(at, Event::WorkStarted { delivery: delivery(n, attempt), by: ClientId(worker) })
    }

    /// Work is done and acked; the ack is recorded a hop later.
    pub(crate) fn done(&mut self, at: Time, n: u32, attempt: u32, worker: u16) -> &mut Self {
        self.add(
            at,
            Event::WorkDone { delivery: delivery(n, attempt), by: ClientId(worker), changed: true },
        );
        self.answer(at, n, attempt, worker, Reply::Ack, Effect::Settled)
    }

    pub(crate) fn answer(
        &mut self,
        at: Time,
        n: u32,
        attempt: u32,
        worker: u16,
        reply: Reply,
        effect: Effect,
    ) -> &mut Self {
        let delivery = delivery(n, attempt);
        self.add(at, Event::Answered { delivery, by: ClientId(worker), reply });
        self.add(at + HOP, Event::Recorded { delivery, reply, effect })
    }

    pub(crate) fn expire(&mut self, at: Time, n: u32, attempt: u32) -> &mut Self {
        self.add(at, Event::Expired { delivery: delivery(n, attempt) })
    }

    pub(crate) fn crash(&mut self, at: Time, worker: u16) -> &mut Self {
        self.add(at, Event::Crashed { client: ClientId(worker) })
    }

    /// What every message takes each worker, for sentences that name it.
    pub(crate) fn service(&mut self, work: Dur) -> &mut Self {
        for worker in &mut self.trace.scenario.workers {
            worker.service_time = Service::Fixed(work);
        }
        self
    }

    pub(crate) fn end(&self) -> Trace {
        let mut trace = self.trace.clone();
        trace.records.sort_by_key(|record| record.at);
        trace
    }
}

pub(crate) fn delivery(n: u32, attempt: u32) -> Delivery {
    Delivery { consumer: CONSUMER, msg: Msg(n - 1), seq: u64::from(n), attempt }
}

fn ms(ms: u64) -> Time {
    Time::ms(ms)
}

/// The run of one of `tests/scenes`.
pub(crate) fn scene(name: &str) -> Trace {
    let path = [env!("CARGO_MANIFEST_DIR"), "/tests/scenes/", name, ".toml"].concat();
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut table: toml::Table = text.parse().unwrap();
    let scenario = table.remove("scenario").unwrap().try_into().unwrap();
    delivery_sim::run(&scenario).unwrap()
}

/// The runs of all of `tests/scenes`.
pub(crate) fn scenes() -> impl Iterator<Item = Trace> {
    let folder = [env!("CARGO_MANIFEST_DIR"), "/tests/scenes"].concat();
    let names = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{folder}: {e}"));
    let name = |path: std::path::PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
    let mut names: Vec<String> = names.map(|entry| name(entry.unwrap().path())).collect();
    names.sort_unstable();
    names.into_iter().map(|name| scene(&name))
}

/// Two orders; run 1 and run 2 die with one each, run 3 gets order-1 again and acks it.
pub(crate) fn crash_redelivery() -> Trace {
    let sent = ms(0) + HOP;
    Script::new(&["run 1", "run 2", "run 3"], Dur::secs(5), ms(12_000))
        .start(ms(0), 1)
        .publish(ms(0), 2)
        .deliver(sent, 1, 1, 1, Cause::New)
        .work(sent + HOP, 1, 1, 1)
        .crash(sent + HOP + Dur::ms(600), 1)
        .start(ms(1_000), 2)
        .deliver(ms(1_000) + HOP, 2, 1, 2, Cause::New)
        .work(ms(1_000) + HOP + HOP, 2, 1, 2)
        .crash(ms(1_600) + HOP + HOP, 2)
        .expire(sent + Dur::secs(5), 1, 1)
        .expire(ms(6_000) + HOP, 2, 1)
        .start(ms(8_000), 3)
        .deliver(ms(8_000) + HOP, 1, 2, 3, Cause::Expired)
        .work(ms(8_000) + HOP + HOP, 1, 2, 3)
        .done(ms(9_400) + HOP + HOP, 1, 2, 3)
        .end()
}

/// Ten orders in one batch to worker A, 200 ms each, stopwatches of 1 s; B waits with a pull open.
pub(crate) fn batch_ageing() -> Trace {
    let mut script = Script::new(&["A", "B"], Dur::secs(1), ms(4_000));
    script.service(Dur::ms(200)).start(ms(0), 1).start(ms(0) + Dur(1_000), 2).publish(ms(100), 10);
    let sent = ms(100) + HOP;
    let begin = sent + HOP;
    for n in 1..=10 {
        script.deliver(sent, n, 1, 1, Cause::New);
    }
    for n in 1..=10 {
        let start = begin + Dur::ms(200 * (u64::from(n) - 1));
        script.work(start, n, 1, 1);
        if n < 5 {
            script.done(start + Dur::ms(200), n, 1, 1);
        } else {
            script.add(
                start + Dur::ms(200),
                Event::WorkDone { delivery: delivery(n, 1), by: ClientId(1), changed: true },
            );
            // Whoever acks first settles it; the other ack changes nothing.
            script.answer(start + Dur::ms(200), n, 1, 1, Reply::Ack, Effect::Settled);
        }
    }
    for n in 5..=10 {
        script.expire(sent + Dur::secs(1), n, 1);
        script.deliver(sent + Dur::secs(1), n, 2, 2, Cause::Expired);
        let start = sent + HOP + Dur::ms(1_000 + 200 * (u64::from(n) - 5));
        script.work(start, n, 2, 2);
        script.add(
            start + Dur::ms(200),
            Event::WorkDone { delivery: delivery(n, 2), by: ClientId(2), changed: true },
        );
        script.answer(start + Dur::ms(200), n, 2, 2, Reply::Ack, Effect::Nothing);
    }
    script.end()
}
