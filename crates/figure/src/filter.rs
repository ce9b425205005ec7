//! Which rows of a run a reader wants to see: by message, by lane, by kind. Found from the events, without a word being told.

use crate::kinds::KINDS;
use crate::story::Story;
use crate::tell::{self, Moment};
use crate::told::Told;
use delivery_sim::trace::{Event, Msg, Record};

impl Told {
    /// What kinds of turning points the run has: bits of [`KINDS`].
    pub fn all_kinds(&self) -> u8 {
        self.moments.iter().fold(0, |kinds, moment| kinds | moment.kinds)
    }

    /// The row of that kind that comes next after the first `done` rows, or the one before them; beyond the last the first.
    pub fn next_of(&self, kind: u8, done: usize, back: bool) -> Option<usize> {
        let len = self.len();
        let mut row = done;
        for _ in 0..len {
            if back {
                row = row.checked_sub(1).unwrap_or(len - 1);
            } else if row >= len {
                row = 0;
            }
            if self.kinds(row) & kind != 0 {
                return Some(row);
            }
            row += usize::from(!back);
        }
        None
    }

    /// On whose lanes something happens, by name, in the order in which it first does.
    pub fn lanes(&self) -> Vec<&str> {
        let story = self.story();
        let mut lanes = Vec::new();
        for moment in &self.moments {
            for record in tell::of(&self.records, *moment) {
                let lane = lane(story, *moment, *record);
                if !lane.is_empty() && !lanes.contains(&lane) {
                    lanes.push(lane);
                }
            }
        }
        lanes
    }

    /// The labels of the messages to which something happens, at most `most`, in their order.
    pub fn labels(&self, most: usize) -> Vec<String> {
        let mut happens = vec![false; self.trace.messages.len()];
        for msg in self.records.iter().filter_map(|record| record.event.msg()) {
            if let Some(happens) = happens.get_mut(msg.0 as usize) {
                *happens = true;
            }
        }
        let msgs = (0..).zip(happens).filter(|(_, happens)| *happens).take(most);
        msgs.map(|(msg, _)| self.trace.label(delivery_sim::trace::Msg(msg))).collect()
    }

    /// The places of the rows about a message, on a lane and of a kind, all by name; empty names ask for all.
    ///
    /// The label of a message asks for it alone, a part of labels for all that have it: `order-1`, but `order`.
    pub fn filter(&self, message: &str, who: &str, kind: &str) -> Vec<usize> {
        let story = self.story();
        let kind = KINDS.iter().find(|other| other.name == kind).map_or(0, |kind| kind.bit);
        let mut about = Vec::new();
        if !message.is_empty() {
            let msgs = (0..self.trace.messages.len() as u32).map(Msg);
            let labels: Vec<String> = msgs.map(|msg| self.trace.label(msg)).collect();
            let whole = labels.iter().any(|label| label == message);
            let fits =
                |label: &String| if whole { label == message } else { holds(label, message) };
            about = labels.iter().map(fits).collect();
        }
        let fits = |row: &usize| {
            let moment = self.moments[*row];
            let records = tell::of(&self.records, moment);
            let fits = |msg: Msg| about.get(msg.0 as usize) == Some(&true);
            let told = |record: &Record| story.concerns(*record, &fits);
            moment.kinds & kind == kind
                && (message.is_empty() || records.iter().any(told))
                && (who.is_empty() || records.iter().any(|r| lane(story, moment, *r) == who))
        };
        (0..self.len()).filter(fits).collect()
    }
}

/// The lane on which an event is told: the same as in the row of its moment, which is put into words in `tell`.
fn lane<'a>(story: Story<'a>, moment: Moment, record: Record) -> &'a str {
    let life = |delivery| story.find(delivery).map(|i| &story.lives[i]);
    match record.event {
        Event::Published { by, .. }
        | Event::Received { by, .. }
        | Event::HandlerDone { by, .. }
        | Event::PubAcked { by, .. }
        | Event::Confirmed { by, .. }
        | Event::Dropped { by, .. }
        | Event::Missed { by, .. }
        | Event::Arrived { at: by, .. }
        | Event::WorkStarted { by, .. }
        | Event::LeftOff { by, .. }
        | Event::Crashed { client: by }
        | Event::Stopped { client: by }
        | Event::Started { client: by } => story.client(by),
        Event::PubFailed { by, why, .. } if tell::fails(why) => story.client(by),
        // Of an answer it is told what it does at the server, or that it never gets there …
        Event::Recorded { delivery, .. } => life(delivery).map_or("", |life| story.client(life.to)),
        Event::Answered { delivery, by, reply } => {
            let lost = life(delivery).is_some_and(|life| {
                life.answers.iter().any(|said| {
                    said.at == record.at && said.reply == reply && said.recorded.is_none()
                })
            });
            if lost { story.client(by) } else { "" }
        }
        // … and the end of work only where no answer follows soon.
        Event::WorkDone { delivery, by, .. } => {
            let silent = life(delivery)
                .is_some_and(|life| life.answers.iter().all(|said| said.at < record.at));
            if silent || tell::is_far(story.trace) { story.client(by) } else { "" }
        }
        // A stopwatch that runs out is told by itself unless a delivery follows at once.
        Event::Expired { delivery } | Event::DelayOver { delivery } => {
            let waits = life(delivery).is_some_and(|life| {
                let end = moment.at;
                life.next_sent.is_none_or(|at| at > end) && life.exhausted.is_none_or(|at| at > end)
            });
            if waits { story.consumer(delivery.consumer) } else { "" }
        }
        Event::Exhausted { delivery, .. } => story.consumer(delivery.consumer),
        Event::ConsumerCreated { consumer } | Event::ConsumerDeleted { consumer, .. } => {
            story.consumer(consumer)
        }
        Event::Stored { stream, .. }
        | Event::Deduplicated { stream, .. }
        | Event::NotKept { stream, .. }
        | Event::Refused { stream, .. }
        | Event::Removed { stream, .. } => {
            story.trace.streams.get(usize::from(stream.0)).map_or("", String::as_str)
        }
        Event::Replied { step, answer } => {
            tell::returns(story.trace, step, answer).map_or("server", |(who, ..)| who)
        }
        Event::Unheard { .. }
        | Event::Routed { .. }
        | Event::ServerStopped
        | Event::ServerStarted => "server",
        _ => "",
    }
}

/// Whether a text holds another, which is not empty. Labels are short, and the standard library's search is long.
fn holds(text: &str, part: &str) -> bool {
    text.as_bytes().windows(part.len()).any(|at| at == part.as_bytes())
}
