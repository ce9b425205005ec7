// What the command line would print at a moment, each counter with its reason; and why each repeat was made.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { liveLab, words } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

const [CRASH] = LABS;

async function start(t) {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER);
  t.after(() => assert.deepEqual(page.faults, []));
  return { page, lab: await liveLab(page, CRASH) };
}

/** The lines of the readings: what is counted, its value, why. */
const lines = (lab) => lab.section.locator('.readings dl > div').evaluateAll((all) =>
  all.map((line) => [...line.children].map((cell) => cell.textContent)));

test('readings follow the moment and the settings, and cost nothing while they are closed', async (t) => {
  const { page, lab } = await start(t);
  assert.deepEqual(await lines(lab), []);
  const summary = lab.section.locator('.readings summary');
  await summary.press('Enter');
  await until('the readings', async () => (await lines(lab)).length);
  assert.match(await lab.section.locator('.readings h3').first().innerText(), /^nats consumer info \S+ \S+$/);
  await lab.view().focus();
  await page.keyboard.press('Home');
  await lab.settled();
  const value = async (name) => (await lines(lab)).find(([counted]) => counted === name);
  assert.deepEqual((await value('Messages')).slice(1), ['0', 'Nothing is kept.']);
  await lab.button('redelivery').click();
  await lab.settled();
  const [, redelivered, why] = await value('Redelivered Messages');
  assert.deepEqual([redelivered, why], ['1', 'order-1 has been delivered more than once and is not settled.']);
  await lab.turn('ack_wait', /^30 s/);
  await until('no redelivery by then', async () => (await value('Redelivered Messages'))[1] === '0');
  await summary.press('Enter');
  await until('nothing left', async () => (await lines(lab)).length === 0);
});

test('every repeat has its cause, and its time shows it', async (t) => {
  const { lab } = await start(t);
  await lab.section.locator('.causes summary').press('Enter');
  const items = lab.section.locator('.causes li');
  // They are there before the fold has opened around them.
  const first = async () => words(await items.first().innerText());
  await until('the causes', async () => (await items.count()) && (await first()));
  assert.match(await first(), /order-1, delivery 2, to run 3: .*died/i);
  await items.first().getByRole('button').click();
  await until('its moment', async () => /order-1 again/.test(await lab.caption()));
});
