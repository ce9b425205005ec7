// The readings beside the picture: what the command line prints at this moment, and what makes it so; and the causes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { liveLab, words } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

const [CRASH, BATCH] = LABS;

async function start(t, { slug = CRASH, query = '' } = {}) {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER + query);
  const lab = await liveLab(page, slug);
  t.after(() => assert.deepEqual(page.faults, []));
  return { page, lab };
}

/** Opens a part by the keyboard; what stands in it. */
async function unfold(page, lab, name) {
  const part = lab.section.locator(`details.${name}`);
  await part.locator('summary').focus();
  await page.keyboard.press('Enter');
  const place = part.locator(':scope > div');
  await until(`what is in ${name}`, () => place.evaluate((element) => element.childElementCount));
  return place;
}

/** The lines of the reading of a command: name, value, reason. */
const lines = async (place, command) => {
  const section = place.locator('section', { has: place.page().getByRole('heading', { name: command, exact: true }) });
  return Object.fromEntries(await section.locator('dl > div').evaluateAll((all) =>
    all.map((line) => [line.querySelector('dt').textContent, [...line.querySelectorAll('dd')].map((dd) => dd.textContent)])));
};

const CONSUMER = 'nats consumer info ORDERS emails';

test('at each moment the lines of the command line stand with their reasons', async (t) => {
  const { page, lab } = await start(t, { query: '?t=8.6s' });
  const place = await unfold(page, lab, 'readings');
  assert.deepEqual(await lines(place, CONSUMER), {
    'Last Delivered Message': [
      'Consumer sequence: 3 Stream sequence: 2',
      'Three deliveries so far, one of them a repeat; the last was order-1, to run 3 at T+8.0 s. The stream sequence is that of order-2, the newest one delivered.',
    ],
    'Acknowledgment Floor': [
      'Consumer sequence: 0 Stream sequence: 0',
      'It stands at 0 because order-1 has no answer yet.',
    ],
    'Outstanding Acks': [
      '2 out of maximum 1,000',
      'order-1 is out; its stopwatch runs out at T+13.0 s. order-2 waits to be delivered again.',
    ],
    'Redelivered Messages': ['1', 'order-1 has been delivered more than once and is not settled.'],
    'Unprocessed Messages': ['0', 'All that the stream holds for it has been delivered at least once.'],
    'Waiting Pulls': ['0 of maximum 512', 'Nobody asks for messages, so what is due stays where it is.'],
  });
  const stream = await lines(place, 'nats stream info ORDERS');
  assert.deepEqual(stream.Messages, ['2', 'order-1 and order-2 are kept.']);

  // They follow the steps of the clock …
  await lab.view().focus();
  await page.keyboard.press('Home');
  await lab.settled();
  const first = await lines(place, CONSUMER);
  assert.equal(first['Last Delivered Message'][1], 'Nothing has been delivered yet.');
  await page.keyboard.press('End');
  await lab.settled();
  const last = await lines(place, CONSUMER);
  assert.deepEqual(last['Outstanding Acks'], ['0 out of maximum 1,000', 'No delivery waits for an answer.']);
});

test('a setting changes them at the same moment', async (t) => {
  const { page, lab } = await start(t, { query: '?t=4s' });
  const place = await unfold(page, lab, 'readings');
  const out = async () => (await lines(place, CONSUMER))['Outstanding Acks'][1];
  assert.match(await out(), /order-1 and order-2 are out; order-1 is the first to run out, at T\+5\.0 s\./);
  await lab.turn('ack_wait', /^8 seconds/);
  assert.match(await out(), /order-1 is the first to run out, at T\+8\.0 s\./);
});

test('they are built while they are open, and only when something happens', async (t) => {
  const { page, lab } = await start(t, { query: '?t=8.6s' });
  const place = lab.section.locator('details.readings > div');
  assert.equal(await place.evaluate((element) => element.innerHTML), '');
  await unfold(page, lab, 'readings');
  await place.evaluate((element) => {
    element.times = 0;
    new MutationObserver(() => { element.times += 1; }).observe(element, { childList: true });
  });
  // From T+8.6 to T+9.3 nothing happens.
  await lab.section.getByRole('combobox', { name: 'Speed' }).selectOption({ label: '0.5×' });
  await lab.button('Play').click();
  await new Promise((done) => setTimeout(done, 1_000));
  await lab.button('Pause').click();
  assert.ok((await lab.moment()) > 8.7, 'it played');
  assert.equal(await place.evaluate((element) => element.times), 0);
  await page.keyboard.press('ArrowRight');
  await until('a new reading', () => place.evaluate((element) => element.times));
  await lab.section.locator('details.readings summary').click();
  await until('nothing', async () => (await place.evaluate((element) => element.innerHTML)) === '');
});

test('each redelivery has its cause, and its time leads there', async (t) => {
  const { page, lab } = await start(t, { slug: BATCH, query: `#${BATCH}` });
  const place = await unfold(page, lab, 'causes');
  const items = (await place.locator('li').allInnerTexts()).map(words);
  assert.equal(items.length, 5);
  for (const [i, item] of items.entries()) {
    const n = i + 6;
    assert.ok(item.startsWith(`T+1.0 s order-${n}, delivery 2, to B. It was number ${n} at A: ${n} × 180 ms is `), item);
  }
  await lab.view().focus();
  await page.keyboard.press('Home');
  await lab.settled();
  await place.getByRole('button').nth(2).click();
  await lab.settled();
  assert.match(await lab.caption(), /B gets order-6 to order-10 again/);

  await lab.turn('work per message', /^90 milliseconds/, 'ArrowLeft');
  assert.equal(words(await place.innerText()), 'Nothing was delivered again in this run.');
});
