//! Stopping and starting the server on the same store (section 12 of the rules).

use super::{Act, World};
use crate::queue::Class;
use crate::trace::{ClientId, Event, Observer};

impl<O: Observer> World<'_, O> {
    /// The server stops: every connection closes, waiting pulls are lost (R100).
    pub(crate) fn server_stop(&mut self) {
        if !self.up {
            return;
        }
        self.up = false;
        self.emit(Event::ServerStopped);
        self.cut_off = self.client_ids().filter(|&id| self.is_open(id)).collect::<Vec<ClientId>>();
        for id in self.cut_off.clone() {
            self.cut_off(id);
        }
        self.subscribers_cut_off();
        for id in 0..self.publishers.len() {
            let publisher = &mut self.publishers[id];
            if publisher.reconnect_wait > crate::Dur::ZERO {
                publisher.away = true;
                let at = self.now + publisher.reconnect_wait;
                let act = Act::PublisherBack(ClientId(id as u16));
                self.queue.at(at, Class::Inbound, act);
            }
        }
        for id in 0..self.consumers.len() as u16 {
            if let Some(c) = &mut self.consumers[id as usize] {
                c.waiting.clear();
            }
            self.touch(id);
        }
    }

    /// The server starts again: state is reloaded, clients that had a connection come back (R101).
    pub(crate) fn server_start(&mut self) {
        if self.up {
            return;
        }
        self.up = true;
        self.emit(Event::ServerStarted);
        let now = self.now;
        for stream in 0..self.streams.len() as u16 {
            self.streams[stream as usize].restart(now);
            if self.streams[stream as usize].info().messages > 0 {
                self.arm_age(stream);
            }
        }
        for id in 0..self.consumers.len() as u16 {
            let Some(mut c) = self.consumers[id as usize].take() else { continue };
            let stream = c.stream;
            c.restart(now, |seq| self.stored_at(stream, seq));
            c.sweep_armed = crate::Time::NEVER;
            self.consumers[id as usize] = Some(c);
            self.arm_sweep(id);
            self.mark_dirty(id);
        }
        for id in std::mem::take(&mut self.due) {
            self.create_late(id);
        }
        for id in std::mem::take(&mut self.cut_off) {
            self.come_back(id);
        }
    }
}
