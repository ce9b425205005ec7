//! Scenarios from a tape: valid ones of every feature, and wild ones with values beyond all sense.

use super::draw::{Draw, Tape};
use delivery_sim::scenario::*;
use delivery_sim::{Dur, Time};

/// What a block of the tape describes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Publish,
    Hand,
    Call,
    Worker,
    Consumer,
    Stream,
    Subscriber,
    Publisher,
    Handler,
    Outage,
}

const PARTS: &[Part] = &[
    Part::Publish,
    Part::Worker,
    Part::Hand,
    Part::Call,
    Part::Publish,
    Part::Worker,
    Part::Hand,
    Part::Call,
    Part::Publish,
    Part::Worker,
    Part::Consumer,
    Part::Hand,
    Part::Call,
    Part::Subscriber,
    Part::Outage,
    Part::Handler,
    Part::Publisher,
    Part::Stream,
];

/// Makes a scenario of a tape; a wild one may be refused, but must not do harm.
pub(crate) fn scenario(tape: &Tape, wild: bool) -> Scenario {
    let (head, blocks) = tape.split_first().map_or((&[][..], &[][..]), |(h, b)| (h.as_slice(), b));
    // Most scenarios with many odd values are refused.
    let odd = match (wild, head.first()) {
        (false, _) => 0,
        (true, first) => [8, 200, 40, 100][usize::from(first.copied().unwrap_or(0)) % 4],
    };
    let mut maker = Maker { scenario: Scenario::default(), wild, hands: Vec::new() };
    maker.head(head, odd);
    let parts: Vec<(Part, &[u16])> = blocks
        .iter()
        .filter_map(|block| {
            block.split_first().map(|(kind, rest)| (PARTS[usize::from(*kind) % PARTS.len()], rest))
        })
        .collect();
    // Parts that others name come first.
    for kinds in [
        &[Part::Stream][..],
        &[Part::Consumer],
        &[Part::Handler, Part::Worker, Part::Subscriber, Part::Publisher],
        &[Part::Publish, Part::Hand, Part::Call, Part::Outage],
    ] {
        if kinds[0] == Part::Consumer && maker.scenario.streams.is_empty() {
            maker.stream(&mut Draw::new(&[], odd));
        }
        if kinds[0] == Part::Handler && maker.scenario.consumers.is_empty() {
            maker.consumer(&mut Draw::new(&[], odd));
        }
        if kinds[0] == Part::Publish && !head.is_empty() {
            maker.publish(&mut Draw::new(&head[head.len().min(6)..], odd));
        }
        for (part, block) in parts.iter().filter(|(part, _)| kinds.contains(part)) {
            maker.part(*part, &mut Draw::new(block, odd));
        }
    }
    maker.scenario
}

struct Maker {
    scenario: Scenario,
    wild: bool,
    /// Workers that the timeline pulls and answers for, with the place of their consumer.
    hands: Vec<(String, usize)>,
}

impl Maker {
    fn head(&mut self, block: &[u16], odd: usize) {
        let mut d = Draw::new(block, odd);
        let s = &mut self.scenario;
        s.version = d.pick(&[
            Version::V2_12,
            Version::V2_10,
            Version::V2_11,
            Version::V2_14,
            Version::V2_15,
        ]);
        s.network_delay = match d.below(6) {
            0 | 1 => Dur(200_000),
            2 => Dur::ZERO,
            3 => Dur::ms(1),
            4 => Dur::ms(50),
            _ => d.dur(),
        };
        s.end = if self.wild && d.one_in(4) {
            d.time()
        } else {
            Time::ms(d.pick(&[1_500, 4_000, 700, 2_500]))
        };
        s.seed = d.seq();
        s.max_pending = d.pick(&[0, 0, 1, 1_000_000]);
    }

    fn part(&mut self, part: Part, d: &mut Draw<'_>) {
        match part {
            Part::Stream => self.stream(d),
            Part::Consumer => self.consumer(d),
            Part::Worker => self.worker(d),
            Part::Subscriber => {
                let subscriber = self.subscriber(d, self.scenario.subscribers.len());
                self.scenario.subscribers.push(subscriber);
            }
            Part::Publisher => self.publisher(d),
            Part::Handler => self.handler(d),
            Part::Publish => self.publish(d),
            Part::Hand => self.hand(d),
            Part::Call => self.call(d),
            Part::Outage => self.outage(d),
        }
    }

    fn step(&mut self, at: Time, op: Op) {
        self.scenario.timeline.push(Step { at, op });
    }

    // --- streams and consumers --------------------------------------------------------------

    fn stream_config(&self, d: &mut Draw<'_>, i: usize) -> StreamConfig {
        let max_age = if d.one_in(4) { d.span() } else { Dur::ZERO };
        let per_subject = d.limit(&[2, 1, 4]);
        let discard = d.pick(&[Discard::Old, Discard::New]);
        let mut window = d.dur();
        let (mut max_age, least) = (max_age, Dur::ms(100));
        if !self.wild {
            // A server refuses shorter ones.
            for value in [&mut max_age, &mut window] {
                *value = if *value > Dur::ZERO { least.max(*value) } else { Dur::ZERO };
            }
        }
        if !self.wild && max_age > Dur::ZERO {
            window = window.min(max_age);
        }
        StreamConfig {
            name: d.text(&format!("s{i}")),
            subjects: vec![d.text(&format!("s{i}.>"))],
            retention: d.pick(&[Retention::Limits, Retention::Interest, Retention::WorkQueue]),
            max_msgs: d.limit(&[3, 1, 2, 8]),
            max_bytes: d.limit(&[40, 10, 200]),
            max_msgs_per_subject: per_subject,
            max_age,
            discard,
            discard_new_per_subject: discard == Discard::New && per_subject > 0 && d.one_in(2),
            duplicate_window: window,
        }
    }

    fn stream(&mut self, d: &mut Draw<'_>) {
        let config = self.stream_config(d, self.scenario.streams.len());
        self.scenario.streams.push(config);
    }

    /// The retention and the place of the stream of this name, among those declared.
    fn retention(&self, name: &str) -> Retention {
        self.scenario
            .streams
            .iter()
            .find(|s| s.name == name)
            .map_or(Retention::Limits, |s| s.retention)
    }

    fn consumer_config(&self, d: &mut Draw<'_>, stream: &str, i: usize) -> ConsumerConfig {
        let work_queue = !self.wild && self.retention(stream) == Retention::WorkQueue;
        let mut c =
            ConsumerConfig { durable_name: d.text(&format!("c{i}")), ..ConsumerConfig::default() };
        self.change(d, &mut c, stream, i);
        c.ack_policy =
            d.pick(&[AckPolicy::Explicit, AckPolicy::Explicit, AckPolicy::All, AckPolicy::None]);
        c.deliver_policy = d.pick(&[
            DeliverPolicy::All,
            DeliverPolicy::All,
            DeliverPolicy::All,
            DeliverPolicy::All,
            DeliverPolicy::All,
            DeliverPolicy::Last,
            DeliverPolicy::New,
            DeliverPolicy::ByStartSequence,
            DeliverPolicy::ByStartTime,
            DeliverPolicy::LastPerSubject,
        ]);
        if d.one_in(5) {
            c.deliver_subject = d.text(&format!("push.{i}"));
            c.deliver_group = d.pick(&["", "group"]).into();
        } else {
            c.max_waiting = d.pick(&[0, 0, 1, 2]);
        }
        c.replay_policy =
            d.pick(&[ReplayPolicy::Instant, ReplayPolicy::Instant, ReplayPolicy::Original]);
        let (seq, time) = (d.seq(), d.time());
        if work_queue {
            c.ack_policy = AckPolicy::Explicit;
            c.deliver_policy = DeliverPolicy::All;
        }
        if c.deliver_policy == DeliverPolicy::ByStartSequence || self.wild {
            c.opt_start_seq = if self.wild { seq } else { seq + 1 };
        }
        if c.deliver_policy == DeliverPolicy::ByStartTime || self.wild {
            c.opt_start_time = time;
        }
        if !self.wild {
            if c.deliver_policy == DeliverPolicy::LastPerSubject && c.filter_subjects.is_empty() {
                c.filter_subjects = vec![format!("{stream}.>")];
            }
            if c.ack_policy == AckPolicy::None {
                c.max_ack_pending = 0;
                c.backoff.clear();
            }
            if c.ack_policy == AckPolicy::None && c.max_deliver > 0 {
                c.max_deliver = -1;
            }
        }
        c
    }

    /// Draws what may change in flight (R103).
    fn change(&self, d: &mut Draw<'_>, c: &mut ConsumerConfig, stream: &str, i: usize) {
        c.ack_wait = d.span();
        c.max_deliver = d.limit(&[2, 1, 3, 4]);
        c.max_ack_pending = d.pick(&[0, 0, 1, 2, -1]);
        c.backoff = (0..d.pick(&[0, 0, 1, 3])).map(|_| d.span()).collect();
        let patterns: &[&[&str]] = &[&[], &[], &["a"], &["*"], &["a", "b"], &[">"]];
        c.filter_subjects =
            d.pick(patterns).iter().map(|p| d.text(&format!("{stream}.{p}"))).collect();
        c.inactive_threshold = if d.one_in(6) { d.span() } else { Dur::ZERO };
        if self.wild {
            c.max_ack_pending = d.limit(&[0, 1, 2]);
            return;
        }
        if self.retention(stream) == Retention::WorkQueue {
            c.filter_subjects = vec![format!("{stream}.{}", ["a", "b", "c", "d"][i % 4])];
        }
        if c.max_deliver > 0 {
            c.max_deliver = c.max_deliver.max(c.backoff.len() as i64);
        }
    }

    fn consumer(&mut self, d: &mut Draw<'_>) {
        let i = self.scenario.consumers.len();
        let stream = self.some_stream(d);
        // One letter each on a work queue: its consumers must not overlap.
        let nth = self.scenario.consumers.iter().filter(|c| c.stream == stream).count();
        if !self.wild && nth >= 4 {
            return;
        }
        let create_at = if d.one_in(4) { d.time() } else { Time::ZERO };
        let mut config = self.consumer_config(d, &stream, i);
        if !self.wild && self.retention(&stream) == Retention::WorkQueue {
            config.filter_subjects = vec![format!("{stream}.{}", ["a", "b", "c", "d"][nth])];
        }
        self.scenario.consumers.push(Consumer { stream, create_at, config });
    }

    fn some_stream(&self, d: &mut Draw<'_>) -> String {
        let i = d.below(self.scenario.streams.len());
        self.scenario.streams.get(i).map_or_else(String::new, |s| s.name.clone())
    }

    fn some_consumer(&self, d: &mut Draw<'_>) -> usize {
        d.below(self.scenario.consumers.len())
    }

    fn consumer_ref(&self, i: usize) -> ConsumerRef {
        let c = &self.scenario.consumers[i];
        ConsumerRef { stream: c.stream.clone(), consumer: c.config.durable_name.clone() }
    }

    // --- clients ----------------------------------------------------------------------------

    fn service(&self, d: &mut Draw<'_>) -> Service {
        match d.below(6) {
            0..=2 => Service::Fixed(d.dur()),
            3 => {
                let (a, b) = (d.dur(), d.dur());
                if self.wild {
                    Service::Uniform(a, b)
                } else {
                    Service::Uniform(a.min(b), a.max(b))
                }
            }
            4 => Service::Exponential(d.dur()),
            _ => {
                let median = d.dur();
                Service::LogNormal(median, d.count(100))
            }
        }
    }

    fn chance(d: &mut Draw<'_>) -> Chance {
        let wildest = if d.is_wild() { u32::MAX } else { 1_000_000 };
        Chance(d.pick(&[0, 0, 0, 0, 0, 100_000, 500_000, wildest]))
    }

    fn behaviour(&self, d: &mut Draw<'_>) -> Behaviour {
        let on = match d.below(8) {
            0 | 5 => Match::default(),
            1 => Match { attempt: vec![1 + d.below(3) as u32], ..Match::default() },
            2 => Match { stream_seq: vec![d.seq()], ..Match::default() },
            3 => Match { nth: vec![1 + d.below(4) as u32], ..Match::default() },
            4 => Match { data: d.text("m1"), ..Match::default() },
            6 => Match { before: Some(d.time()), ..Match::default() },
            _ => Match { data_prefix: d.text("m"), ..Match::default() },
        };
        let steps = (0..1 + d.below(3))
            .map(|_| WorkStep {
                after: d.dur(),
                act: d.pick(&[
                    WorkAct::Ack,
                    WorkAct::Nak,
                    WorkAct::Nak,
                    WorkAct::Term,
                    WorkAct::InProgress,
                    WorkAct::Commit,
                    WorkAct::None,
                    WorkAct::Crash,
                ]),
                delay: if d.one_in(2) { d.dur() } else { Dur::ZERO },
                reason: String::new(),
                sync: d.one_in(4),
                restart_after: d.span_or_zero(),
            })
            .collect();
        Behaviour { on, steps }
    }

    fn worker(&mut self, d: &mut Draw<'_>) {
        let (i, of) = (self.scenario.workers.len(), self.some_consumer(d));
        let ConsumerRef { stream, consumer } = self.consumer_ref(of);
        let push = !self.scenario.consumers[of].config.deliver_subject.is_empty()
            || (self.wild && d.one_in(8));
        let start = d.time();
        let stop = if d.one_in(8) { start + d.span() } else { Time::ZERO };
        let name = d.text(&format!("w{i}"));
        let behaviour = (0..d.pick(&[0, 1, 0, 2, 1])).map(|_| self.behaviour(d)).collect();
        let worker = Worker {
            name: name.clone(),
            count: if self.wild { d.count(2) } else { 1 + d.count(1) },
            stream,
            consumer,
            start,
            stop: if self.wild { d.time() } else { stop },
            batch: d.count(4),
            expires: d.span_or_zero(),
            pause: d.span_or_zero(),
            service_time: self.service(d),
            in_progress_every: if d.one_in(4) { d.span() } else { Dur::ZERO },
            crash_chance: Self::chance(d),
            restart_after: d.span_or_zero(),
            lost_answer_chance: Self::chance(d),
            ack_timeout: if d.one_in(4) { d.span() } else { Dur::ZERO },
            ack_first: d.one_in(6),
            commit_to_ack: if d.one_in(4) { d.dur() } else { Dur::ZERO },
            idempotent: d.one_in(4),
            handled_table: d.one_in(4),
            known_by: d.pick(&[KnownBy::Payload, KnownBy::Sequence]),
            push,
            manual: d.one_in(6),
            max_messages: if d.one_in(5) { d.count(3) } else { 0 },
            max_pulls: if d.one_in(5) { d.count(3) } else { 0 },
            behaviour,
        };
        if worker.manual {
            let hand = if worker.count == 1 { name } else { format!("{name} 1") };
            self.hands.push((hand, of));
        }
        self.scenario.workers.push(worker);
    }

    fn subscriber(&self, d: &mut Draw<'_>, i: usize) -> Subscriber {
        let start = d.time();
        let subject = d.pick(&["s0.>", ">", "s0.a", "core.*", "$JS.EVENT.ADVISORY.>", "s1.a"]);
        Subscriber {
            name: d.text(&format!("u{i}")),
            subject: d.text(subject),
            queue: d.pick(&["", "q", "q2"]).into(),
            start,
            stop: if d.one_in(5) { start + d.span() } else { Time::ZERO },
            service_time: self.service(d),
            library: d.pick(&[ClientLibrary::None, ClientLibrary::Go, ClientLibrary::DotNet]),
            pending_msgs_limit: d.pick(&[0, 1, 3]),
            pending_bytes_limit: d.pick(&[0, 0, 5, 100]),
            reply_with: d.pick(&["", "yes"]).into(),
            reconnect_wait: d.span_or_zero(),
            loss_chance: Self::chance(d),
            error_callback: d.one_in(2),
            counts: d.one_in(2),
            whole_every: d.pick(&[0, 1, 3]),
        }
    }

    fn publisher(&mut self, d: &mut Draw<'_>) {
        let i = self.scenario.publishers.len();
        let publisher = Publisher {
            name: d.text(&format!("p{i}")),
            reconnect_wait: d.span_or_zero(),
            buffer_bytes: d.pick(&[2 << 20, 10, 0]),
        };
        self.scenario.publishers.push(publisher);
    }

    /// A dead-letter handler with the streams and the consumer that it needs.
    fn handler(&mut self, d: &mut Draw<'_>) {
        if self.scenario.dead_letter_handlers.len() >= if self.wild { 3 } else { 1 } {
            return;
        }
        let advisories =
            d.pick(&["$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.>", "$JS.EVENT.ADVISORY.>"]);
        let keeps = |name: &str, subject: &str| StreamConfig {
            name: name.into(),
            subjects: vec![subject.into()],
            ..StreamConfig::default()
        };
        self.scenario.streams.push(keeps("ADV", advisories));
        if d.below(4) < 3 {
            let letters = StreamConfig { max_msgs: d.limit(&[1, 3]), ..keeps("DLQ", "dlq.>") };
            self.scenario
                .streams
                .push(StreamConfig { discard: d.pick(&[Discard::Old, Discard::New]), ..letters });
        }
        self.scenario.consumers.push(Consumer {
            stream: "ADV".into(),
            config: ConsumerConfig {
                durable_name: "adv".into(),
                ack_wait: d.span(),
                max_deliver: d.limit(&[1, 3]),
                ..ConsumerConfig::default()
            },
            ..Consumer::default()
        });
        let start = d.time();
        self.scenario.dead_letter_handlers.push(DeadLetterHandler {
            name: d.text("dead letters"),
            stream: d.text("ADV"),
            consumer: d.text("adv"),
            start,
            stop: if d.one_in(5) { start + d.span() } else { Time::ZERO },
            copies: d.count(2),
            message_id: d.one_in(2),
            delete_original: d.one_in(2),
        });
    }

    // --- the timeline -----------------------------------------------------------------------

    fn publish(&mut self, d: &mut Draw<'_>) {
        let at = d.time();
        let stream = self.some_stream(d);
        let token = d.pick(&["a", "a", "b", "c.d", "t{i}"]);
        let subject = match d.below(8) {
            7 => "core.x".into(),
            _ => format!("{stream}.{token}"),
        };
        let (by, data) = (self.some_publisher(d), d.pick(&["m{i}", "x"]));
        let publish = Publish {
            by,
            subject: d.text(&subject),
            data: d.text(data),
            count: if self.wild { d.count(8) } else { 1 + d.count(6) },
            every: if d.one_in(2) { d.span() } else { Dur::ZERO },
            via: d.pick(&[Via::Js, Via::Core]),
            msg_id: d.pick(&["", "", "id", "id{i}"]).into(),
            without_id: d.one_in(6),
            flush: d.one_in(4),
            pad_bytes: if d.one_in(3) { d.count(60) } else { 0 },
            timeout: d.span_or_zero(),
            retry: d.one_in(4),
            lost_chance: if d.one_in(4) { Self::chance(d) } else { Chance::default() },
        };
        self.step(at, Op::Publish(publish));
    }

    fn some_publisher(&self, d: &mut Draw<'_>) -> String {
        match d.below(self.scenario.publishers.len() + 1) {
            0 => "publisher".into(),
            n => self.scenario.publishers[n - 1].name.clone(),
        }
    }

    /// Pulls by hand, then answers by hand what may have come.
    fn hand(&mut self, d: &mut Draw<'_>) {
        let mut at = d.time();
        if self.hands.is_empty() || d.below(3) < 2 {
            let of = self.some_consumer(d);
            if !self.wild && !self.scenario.consumers[of].config.deliver_subject.is_empty() {
                return;
            }
            let worker = format!("h{}", d.below(3));
            if self.hands.iter().any(|(name, other)| *name == worker && *other != of) && !self.wild
            {
                return;
            }
            let ConsumerRef { stream, consumer } = self.consumer_ref(of);
            self.hands.push((worker.clone(), of));
            let pull = Pull {
                worker,
                stream,
                consumer,
                batch: d.count(4),
                expires: d.span_or_zero(),
                no_wait: d.one_in(4),
                max_bytes: d.pick(&[0, 0, 0, 70, 200]),
            };
            self.step(at, Op::Pull(pull));
        }
        for _ in 0..d.below(4) {
            let (worker, _) = self.hands[self.hands.len() - 1 - d.below(self.hands.len())].clone();
            at += d.dur();
            let answer = self.answer(d, &worker);
            self.step(at, Op::Answer(answer));
        }
    }

    fn answer(&self, d: &mut Draw<'_>, worker: &str) -> Answer {
        let act = d.pick(&[
            AnswerAct::Ack,
            AnswerAct::Nak,
            AnswerAct::Nak,
            AnswerAct::Term,
            AnswerAct::InProgress,
            AnswerAct::AckNext,
            AnswerAct::Raw,
            AnswerAct::Raw,
        ]);
        let raws = [
            "",
            "?",
            "+ack",
            "+ACK",
            "-NAK {\"delay\": 50000000}",
            "-NAK 100ms",
            "-NAK -5s",
            "+TERM why",
            "+WPI",
            "+NXT",
        ];
        Answer {
            worker: d.text(worker),
            seq: 1 + d.pick(&[0, 0, 1, 2, 3]),
            attempt: d.pick(&[0, 0, 0, 1, 2]),
            act,
            delay: d.one_in(2).then(|| d.dur()),
            reason: String::new(),
            sync: d.one_in(3),
            forged_seq: if d.one_in(8) { d.seq() } else { 0 },
            next_batch: d.count(2),
            raw: d.pick(&raws).into(),
        }
    }

    /// A call to the server, or a change of a client.
    fn call(&mut self, d: &mut Draw<'_>) {
        let at = d.time();
        let op = match d.below(13) {
            0 => Op::ConsumerInfo(self.consumer_ref(self.some_consumer(d))),
            1 => Op::StreamInfo(self.some_stream(d)),
            2 | 3 => self.create_consumer(d),
            4 => Op::DeleteConsumer(self.consumer_ref(self.some_consumer(d))),
            5 => {
                let stream = self.some_stream(d);
                let filter = if d.one_in(3) { format!("{stream}.a") } else { String::new() };
                Op::PurgeStream(Purge { stream: d.text(&stream), filter })
            }
            6 | 7 => {
                let of =
                    MessageRef { stream: self.some_stream(d), seq: 1 + d.seq().min(u64::MAX - 1) };
                if d.one_in(2) { Op::GetMessage(of) } else { Op::DeleteMessage(of) }
            }
            8 => {
                let i = self.scenario.streams.len() + d.below(2);
                Op::CreateStream(self.stream_config(d, i))
            }
            9 => Op::Flush(self.some_publisher(d)),
            10 => {
                let subject = d.pick(&["core.x", "nobody", "s0.a"]).into();
                Op::Request(Request {
                    by: self.some_publisher(d),
                    subject,
                    data: "?".into(),
                    timeout: d.dur(),
                })
            }
            11 => match self.some_subscriber(d) {
                Some(name) => match d.below(4) {
                    0 => {
                        self.step(at + d.dur(), Op::Resume(name.clone()));
                        Op::Stall(name)
                    }
                    1 => Op::Resume(name),
                    2 => Op::Unsubscribe(name),
                    _ => Op::Kill(name),
                },
                None => Op::Subscribe(self.subscriber(d, 0)),
            },
            _ => match self.some_worker(d) {
                Some(name) => {
                    if d.one_in(2) {
                        let back = Subscriber { name: name.clone(), ..Subscriber::default() };
                        self.step(at + d.dur(), Op::Subscribe(back));
                    }
                    Op::Kill(name)
                }
                None => Op::Subscribe(self.subscriber(d, 0)),
            },
        };
        self.step(at, op);
    }

    fn create_consumer(&self, d: &mut Draw<'_>) -> Op {
        let of = self.some_consumer(d);
        let stream = self.scenario.consumers[of].stream.clone();
        let config = if d.one_in(3) {
            let i = self.scenario.consumers.len() + d.below(2);
            self.consumer_config(d, &stream, i)
        } else {
            let mut config = self.scenario.consumers[of].config.clone();
            let mut changed = config.clone();
            self.change(d, &mut changed, &stream, of);
            match d.below(5) {
                0 => config = changed,
                1 => config.ack_wait = changed.ack_wait,
                2 => (config.max_deliver, config.backoff) = (changed.max_deliver, changed.backoff),
                3 => config.max_ack_pending = changed.max_ack_pending,
                _ => config.filter_subjects = changed.filter_subjects,
            }
            config
        };
        Op::CreateConsumer(CreateConsumer {
            stream: d.text(&stream),
            action: d.pick(&[
                CreateAction::CreateOrUpdate,
                CreateAction::Create,
                CreateAction::Update,
            ]),
            pedantic: d.one_in(4),
            config,
        })
    }

    fn some_subscriber(&self, d: &mut Draw<'_>) -> Option<String> {
        let i = d.below(self.scenario.subscribers.len());
        self.scenario.subscribers.get(i).map(|s| s.name.clone())
    }

    fn some_worker(&self, d: &mut Draw<'_>) -> Option<String> {
        let i = d.below(self.scenario.workers.len() + self.hands.len());
        match self.scenario.workers.get(i) {
            Some(w) if w.count == 1 => Some(w.name.clone()),
            Some(w) => Some(format!("{} 1", w.name)),
            None => self.hands.get(i - self.scenario.workers.len()).map(|(name, _)| name.clone()),
        }
    }

    fn outage(&mut self, d: &mut Draw<'_>) {
        let at = d.time();
        self.step(at, Op::ServerStop);
        if !d.one_in(10) {
            let back = at + d.dur();
            self.step(back, Op::ServerStart);
        }
    }
}
