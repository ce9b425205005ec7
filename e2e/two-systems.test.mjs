// A lab with two systems to which the same happens: Core NATS above JetStream, on one time axis, turned by one set of knobs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bookWith } from './support/book.mjs';
import { browser, open, until } from './support/browser.mjs';
import { liveLab, words } from './support/lab.mjs';

const SLUG = 'core-and-jetstream';
const LAB = `
title = "The same two orders, with and without a stream"
question = "Who gets order-1?"
opens_at = "4s"

[scenario]
end = "6s"
[[scenario.streams]]
name = "ORDERS"
subjects = ["orders.>"]
[[scenario.consumers]]
stream = "ORDERS"
config = { durable_name = "billing", ack_wait = "30s" }
[[scenario.workers]]
name = "billing"
start = "2s"
service_time = "200ms"
[[scenario.timeline]]
at = "1s"
op.publish = { subject = "orders.new", data = "order-{i}", count = 2, every = "2s" }

[beside]
title = "Core NATS"
own_title = "JetStream"
[beside.scenario]
end = "6s"
[[beside.scenario.subscribers]]
name = "billing"
subject = "orders.>"
start = "2s"
service_time = "200ms"
[[beside.scenario.timeline]]
at = "1s"
op.publish = { subject = "orders.new", data = "order-{i}", count = 2, every = "2s" }

[[knobs]]
name = "every"
label = "an order every"
setting = "publish.every"
positions = ["500ms", "2s", "3s"]
[[knobs]]
name = "ack_wait"
setting = "consumer.ack_wait"
positions = ["5s", "30s"]
[[knobs]]
name = "backoff"
setting = "consumer.backoff"
positions = ["none", "1s,2s"]
more = true
[[knobs]]
name = "max_deliver"
setting = "consumer.max_deliver"
positions = ["1", "unlimited"]
more = true
`;

test('the same happens to both, and one knob turns both', async (t) => {
  const started = await browser(t);
  const url = await bookWith(t, { [SLUG]: LAB });
  const page = await open(started, url);
  const lab = await liveLab(page, SLUG);
  const other = lab.section.locator('.other');
  const pictures = lab.section.locator('.pictures svg.scene');
  assert.equal(await pictures.count(), 2);
  assert.equal(words(await other.locator('.which').innerText()), 'Core NATS');
  assert.equal(words(await lab.section.locator('.which.now').innerText()), 'JetStream');
  // Without a stream order-1 is lost, since nobody listens yet; with one it waits.
  assert.equal(await other.locator('.lost, .cross').count() > 0, true, 'a loss above');
  assert.equal(await lab.section.locator('.view[role=group] .cross').count(), 0, 'none below');
  const before = await pictures.evaluateAll((all) => all.map((svg) => svg.outerHTML));
  await lab.turn('an order every', /^3 seconds/);
  const after = await pictures.evaluateAll((all) => all.map((svg) => svg.outerHTML));
  assert.ok(before.every((picture, i) => picture !== after[i]), 'both pictures are of the new setting');
  // One moment for both.
  await lab.view().focus();
  await page.keyboard.press('End');
  await lab.settled();
  const heads = await pictures.evaluateAll((all) => all.map((svg) => svg.querySelector('.playhead .now').textContent));
  assert.deepEqual(heads, ['T+6.0 s', 'T+6.0 s']);
  // A pinned run takes the place above, and gives it back.
  await lab.button('Pin this run').click();
  await until('the pinned run', async () => /^Pinned/.test(words(await other.innerText())));
  await lab.button('Let the pinned run go').click();
  await until('the other system', async () => /^Core NATS/.test(words(await other.innerText())));
  assert.deepEqual(page.faults, []);
});

test('without JavaScript both are printed', async (t) => {
  const page = await open(await browser(t), await bookWith(t, { [SLUG]: LAB }), { javaScriptEnabled: false });
  const section = page.locator(`section#${SLUG}`);
  assert.equal(await section.locator('.pictures svg.scene:visible').count(), 2);
  assert.match(words(await section.locator('.pictures').innerText()), /Core NATS.*JetStream/s);
});
