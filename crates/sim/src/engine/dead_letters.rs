//! Advisories as messages, and the handler that turns them into dead letters (section 11 of the rules).

use super::{Act, Packed, PullFlags, World};
use crate::time::Dur;
use crate::trace::{
    Advisory, ClientId, ConsumerId, Event, Message, Msg, Observer, Removal, Reply, StreamId,
};

/// How long a handler's pull waits.
const PULL_EXPIRES: Dur = Dur::secs(60);
/// Bytes that an advisory has, about.
const ADVISORY_BYTES: u32 = 300;

/// A dead-letter handler at work on one advisory.
#[derive(Clone, Copy)]
pub(crate) struct Letter {
    delivery: Packed,
    consumer_seq: u32,
    /// The original: on which consumer it ran out, and its sequence.
    of: ConsumerId,
    seq: u64,
    copies: u32,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Get,
    Publish(Msg),
    Delete,
}

impl<O: Observer> World<'_, O> {
    /// Publishes an advisory: plain core messages, lost unless a stream or a subscriber listens (R88).
    pub(crate) fn advise(
        &mut self,
        advisory: Advisory,
        consumer: u16,
        msg: Msg,
        seq: u64,
        consumer_seq: u64,
        deliveries: u32,
    ) {
        let id = ConsumerId(consumer);
        self.emit(Event::Advised { advisory, consumer: id, msg, seq, consumer_seq, deliveries });
        if !self.advised {
            return;
        }
        let name = &self.names.consumers[consumer as usize];
        let subject = advisory.subject(&self.names.streams[name.stream.0 as usize], &name.name);
        let about = Message::Advisory { advisory, consumer: id, about: msg, seq, deliveries };
        let copy = self.new_message(about);
        self.take_in(copy, &subject, "", 0, ADVISORY_BYTES);
    }

    /// Client: the handler asks for the next advisory.
    pub(crate) fn handler_pulls(&mut self, id: ClientId) {
        let Some(consumer) = self.clients[id.0 as usize].consumer else { return };
        self.send_pull(id, consumer, 1, PULL_EXPIRES, PullFlags::default());
    }

    /// Client: an advisory arrives at the handler.
    pub(crate) fn advisory_arrives(&mut self, id: ClientId, delivery: Packed, consumer_seq: u32) {
        let Some(handler) = self.handler_spec(id) else { return };
        let of = match self.messages.get(delivery.msg.0 as usize) {
            Some(&Message::Advisory { consumer, seq, .. }) => (consumer, seq),
            // Not an advisory: nothing can be done about it.
            _ => {
                self.send_reply(id, delivery, consumer_seq, Reply::Term, false);
                self.handler_pulls(id);
                return;
            }
        };
        let letter = Letter {
            delivery,
            consumer_seq,
            of: of.0,
            seq: of.1,
            copies: handler.copies.max(1),
            stage: Stage::Get,
        };
        self.clients[id.0 as usize].letter = Some(letter);
        self.handler_calls(id);
    }

    fn handler_calls(&mut self, id: ClientId) {
        let connection = self.clients[id.0 as usize].connection;
        self.queue.send(self.now, Act::HandlerCall { by: id, connection });
    }

    /// Server: a call of the handler arrives: it gets, publishes or deletes.
    pub(crate) fn handler_call(&mut self, by: ClientId, connection: u32) {
        let client = &self.clients[by.0 as usize];
        let Some(letter) = client.letter.filter(|_| self.up && client.is_connected(connection))
        else {
            return;
        };
        let name = &self.names.consumers[letter.of.0 as usize];
        let stream = name.stream;
        let result = match letter.stage {
            Stage::Get => self.streams[stream.0 as usize].get(letter.seq).map(|s| s.msg).into(),
            Stage::Publish(original) => {
                let stream_name = &self.names.streams[stream.0 as usize];
                let subject = format!("dlq.{stream_name}.{}", name.name);
                let with_id = self.handler_spec(by).is_some_and(|h| h.message_id);
                let name = &self.names.consumers[letter.of.0 as usize].name;
                let id = match with_id {
                    true => {
                        format!("{}.{name}.{}", self.names.streams[stream.0 as usize], letter.seq)
                    }
                    false => String::new(),
                };
                let message = Message::Copy { of: original, consumer: letter.of, seq: letter.seq };
                let copy = self.new_message(message);
                self.emit(Event::Published { msg: copy, by });
                let taken = self.take_in(copy, &subject, &id, id.len() as u32 + 27, 100);
                HandlerResult::Published(
                    copy,
                    taken.and_then(|taken| match taken {
                        super::publish::Taken::Stored { stream, seq, duplicate } => {
                            Some((stream, seq as u32, duplicate))
                        }
                        super::publish::Taken::Refused(_) => None,
                    }),
                )
            }
            Stage::Delete => {
                self.remove(stream.0, letter.seq, Removal::Deleted);
                HandlerResult::Deleted
            }
        };
        self.queue.send(self.now, Act::HandlerBack { by, connection, result });
    }

    /// Client: the answer to a call of the handler arrives; it goes on.
    pub(crate) fn handler_back(&mut self, by: ClientId, connection: u32, result: HandlerResult) {
        let client = &mut self.clients[by.0 as usize];
        if !client.is_connected(connection) {
            return;
        }
        let Some(mut letter) = client.letter.take() else { return };
        let stream = self.names.consumers[letter.of.0 as usize].stream;
        let delete = self.handler_spec(by).is_some_and(|h| h.delete_original);
        letter.stage = match result {
            HandlerResult::Got(msg) => {
                self.emit(Event::Fetched { by, stream, seq: letter.seq, found: true });
                Stage::Publish(msg)
            }
            HandlerResult::Missing => {
                self.emit(Event::Fetched { by, stream, seq: letter.seq, found: false });
                // Nothing is left to copy: a nak would come back for ever.
                self.finish_letter(by, &letter, Reply::Term);
                return;
            }
            HandlerResult::Published(msg, stored) => {
                match stored {
                    Some((stream, seq, duplicate)) => {
                        let (stream, seq) = (StreamId(stream), u64::from(seq));
                        self.emit(Event::PubAcked { msg, by, stream, seq, duplicate });
                    }
                    None => {
                        // No stream takes dead letters, or it is full: try again later.
                        self.finish_letter(by, &letter, Reply::NakDelay(Dur::secs(5)));
                        return;
                    }
                }
                letter.copies -= 1;
                match (letter.copies, delete) {
                    (1.., _) => Stage::Get,
                    (0, true) => Stage::Delete,
                    (0, false) => {
                        self.finish_letter(by, &letter, Reply::Ack);
                        return;
                    }
                }
            }
            HandlerResult::Deleted => {
                self.emit(Event::Deleted { by, stream, seq: letter.seq });
                self.finish_letter(by, &letter, Reply::Ack);
                return;
            }
        };
        self.clients[by.0 as usize].letter = Some(letter);
        self.handler_calls(by);
    }

    fn finish_letter(&mut self, by: ClientId, letter: &Letter, reply: Reply) {
        self.send_reply(by, letter.delivery, letter.consumer_seq, reply, false);
        self.handler_pulls(by);
    }
}

/// What the server answered to a call of the handler.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HandlerResult {
    /// The original.
    Got(Msg),
    /// It is gone.
    Missing,
    /// The copy, and where it was stored: stream, sequence, whether it was a duplicate.
    Published(Msg, Option<(u16, u32, bool)>),
    /// The original is deleted.
    Deleted,
}

impl From<Option<Msg>> for HandlerResult {
    fn from(found: Option<Msg>) -> Self {
        found.map_or(Self::Missing, Self::Got)
    }
}
