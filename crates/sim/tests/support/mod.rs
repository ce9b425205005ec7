//! What the property tests share: scenarios drawn from a tape, runs as they are seen, and a ledger of what must be true.

pub(crate) mod alive;
pub(crate) mod counters;
pub(crate) mod draw;
pub(crate) mod fate;
pub(crate) mod ledger;
pub(crate) mod order;
pub(crate) mod scenarios;
pub(crate) mod watch;

use delivery_sim::Time;
use ledger::Ledger;
use watch::{Run, Seen};

/// A property that is checked while a run goes by.
pub(crate) trait Check {
    /// Something is about to change the ledger.
    fn seen(&mut self, _ledger: &Ledger<'_>, _seen: &Seen) -> Result<(), String> {
        Ok(())
    }
    /// Everything of the moment `now` has happened.
    fn moment(&mut self, _ledger: &Ledger<'_>, _now: Time) -> Result<(), String> {
        Ok(())
    }
    /// The run is over; `complete` says that it reached its end.
    fn end(&mut self, _ledger: &Ledger<'_>, _run: &Run, _complete: bool) -> Result<(), String> {
        Ok(())
    }
}

/// A property by name, with the sentence that it stands for.
pub(crate) struct Property {
    pub(crate) name: &'static str,
    pub(crate) says: &'static str,
    pub(crate) check: fn() -> Box<dyn Check>,
}

/// Every property of a single run.
pub(crate) const PROPERTIES: &[Property] = &[
    Property {
        name: "nothing_is_lost",
        says: "each message ends in exactly one of: settled, pending, in flight, exhausted, removed, deduplicated, \
               refused, not kept, dropped with cause, unheard, at the publisher or on the way",
        check: || Box::<fate::Fates>::default(),
    },
    Property {
        name: "removed_by_a_rule",
        says: "a message leaves its stream only for a reason that its limits, its consumers or a call give, and then it does",
        check: || Box::<fate::Removals>::default(),
    },
    Property {
        name: "nothing_goes_back",
        says: "within one life of a consumer, and for a stream, sequences and floors only grow",
        check: || Box::<counters::Forward>::default(),
    },
    Property {
        name: "counters_add_up",
        says: "the counters of consumers and streams are those that the events imply, at every moment",
        check: || Box::<counters::Counters>::default(),
    },
    Property {
        name: "floors_follow",
        says: "the floor lies below all that is in flight, and at the last delivery when all of it is settled",
        check: || Box::<counters::Floors>::default(),
    },
    Property {
        name: "time_and_order",
        says: "time never goes back, what arrives was sent before, and deliveries are counted without a gap",
        check: || Box::<order::Order>::default(),
    },
    Property {
        name: "every_redelivery_has_a_cause",
        says: "a message goes out again only after an event that says why",
        check: || Box::<order::Causes>::default(),
    },
    Property {
        name: "caps_hold",
        says: "no new message goes out at the max_ack_pending cap, and none more often than max_deliver",
        check: || Box::<order::Caps>::default(),
    },
    Property {
        name: "new_messages_in_order",
        says: "new messages go out in stream order, none that matches is passed over, and none that does not match goes out",
        check: || Box::<order::NewInOrder>::default(),
    },
    Property {
        name: "a_server_that_is_down_does_nothing",
        says: "while the server is stopped nothing is stored, delivered, recorded, removed, created or deleted",
        check: || Box::<alive::Down>::default(),
    },
    Property {
        name: "one_life_at_a_time",
        says: "a consumer is created only where there is none, and changed or deleted only where there is one",
        check: || Box::<alive::Lives>::default(),
    },
    Property {
        name: "stopwatches_run_out",
        says: "a delivery whose deadline is over is noticed within the lag that the rules allow",
        check: || Box::<alive::Stopwatches>::default(),
    },
    Property {
        name: "nobody_waits_in_vain",
        says: "a pull does not wait while there is a message that may go out",
        check: || Box::<alive::Waiting>::default(),
    },
    Property {
        name: "work_ends",
        says: "a worker that is alive does not sit on a message for longer than its work takes",
        check: || Box::<alive::Work>::default(),
    },
    Property {
        name: "handling_ends",
        says: "a subscriber that is there does not let a message wait for longer than its handler takes",
        check: || Box::<alive::Handling>::default(),
    },
    Property {
        name: "gone_is_gone",
        says: "a client that stopped or died does nothing until it starts again",
        check: || Box::<alive::Gone>::default(),
    },
];

/// Checks the named properties (all, if `only` is empty) over a run; a failure names its property.
pub(crate) fn check(run: &Run, only: &str) -> Result<(), String> {
    let mut checks: Vec<(&Property, Box<dyn Check>)> = PROPERTIES
        .iter()
        .filter(|p| only.is_empty() || p.name == only)
        .map(|p| (p, (p.check)()))
        .collect();
    let mut ledger = Ledger::new(run);
    let mut now = Time::ZERO;
    let failed = |p: &Property, now: Time, text: String| {
        Err(format!("at {now:?}, {}: {text}\n  (the property: {})", p.name, p.says))
    };
    for seen in &run.seen {
        if let Some(at) = ledger.moment_of(seen).filter(|&at| at > now) {
            for (p, check) in &mut checks {
                if let Err(text) = check.moment(&ledger, now) {
                    return failed(p, now, text);
                }
            }
            now = at;
        }
        for (p, check) in &mut checks {
            if let Err(text) = check.seen(&ledger, seen) {
                return failed(p, now, format!("{text}\n  (seen: {seen:?})"));
            }
        }
        ledger.apply(seen);
    }
    let complete = run.cut.is_none();
    for (p, check) in &mut checks {
        let result = match complete {
            true => check
                .moment(&ledger, now)
                .and_then(|()| check.moment(&ledger, run.trace.end))
                .and_then(|()| check.end(&ledger, run, true)),
            false => check.end(&ledger, run, false),
        };
        if let Err(text) = result {
            return failed(p, now, text);
        }
    }
    Ok(())
}
