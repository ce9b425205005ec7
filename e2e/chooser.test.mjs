// The chooser answers at once, by keyboard alone, keeps the answers in the address, and is complete without JavaScript.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { violations } from './support/axe.mjs';
import { browser, open, until } from './support/browser.mjs';
import { CHAPTER, hosted, site } from './support/site.mjs';

const PAGE = 'choosing/';
/** Answers by the key of their question. */
const WORK_QUEUE = { loss: 'bad', says: 'event', who: 'one', later: 'no', order: 'free' };

/** What a reader sees of the chooser. */
const seen = (page) => page.evaluate(() => {
  const visible = (all) => [...all].filter((element) => element.checkVisibility());
  const chooser = document.querySelector('.chooser');
  return {
    outcomes: visible(chooser.querySelectorAll('.outcome')).map(({ id }) => id),
    chosen: Object.fromEntries([...chooser.querySelectorAll('form :checked')].map(({ name, value }) => [name, value])),
    moot: chooser.querySelectorAll('.moot').length,
    status: chooser.querySelector('[role=status]').textContent,
    questions: visible(chooser.querySelectorAll('legend')).length,
    controls: visible(chooser.querySelectorAll('form input, form button')).length,
  };
});

const query = (answers) => `?${Object.entries(answers).map(([question, answer]) => `choose.${question}=${answer}`).join('&')}`;

test('answers by keyboard lead to one outcome, and the address keeps them', async (t) => {
  const started = await browser(t);
  const home = await hosted(t);
  const page = await open(started, `${home}${PAGE}?utm=x`);
  await until('the form', () => page.locator('.chooser.live').count());
  const before = await seen(page);
  assert.deepEqual([before.outcomes, before.chosen, before.moot], [[], {}, 0]);
  assert.match(before.status, /^\d+ of \d+ ways are left\.$/);
  // From question to question by Tab, from answer to answer by the arrows.
  const radio = page.locator('.chooser input').first();
  await radio.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  assert.equal((await seen(page)).chosen.loss, 'bad');
  for (const arrows of [1, 1, 1, 0]) {
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    for (let i = 0; i < arrows; i += 1) await page.keyboard.press('ArrowDown');
  }
  const after = await seen(page);
  assert.deepEqual(after.chosen, WORK_QUEUE);
  assert.deepEqual(after.outcomes, ['choose-work-queue']);
  assert.match(after.status, /^What fits: A work queue\.$/);
  assert.equal(new URL(page.url()).search, `?utm=x&${query(WORK_QUEUE).slice(1)}`);
  // The same again for whoever gets the address.
  const other = await open(started, page.url());
  await until('the outcome', async () => (await seen(other)).outcomes.length === 1);
  assert.deepEqual(await seen(other), after);
  await other.getByRole('button', { name: 'Start again' }).click();
  await until('an empty form', async () => Object.keys((await seen(other)).chosen).length === 0);
  assert.deepEqual((await seen(other)).outcomes, []);
  assert.equal(new URL(other.url()).search, '?utm=x');
  assert.deepEqual([...page.faults, ...other.faults], []);
});

test('questions that no longer matter say so, and nonsense in an address is passed over', async (t) => {
  const started = await browser(t);
  const home = await hosted(t);
  const page = await open(started, `${home}${PAGE}${query({ loss: 'ask', who: 'nobody', '<b>': '1' })}`);
  await until('the outcome', async () => (await seen(page)).outcomes.length === 1);
  const state = await seen(page);
  assert.deepEqual([state.outcomes, state.chosen, state.moot], [['choose-request'], { loss: 'ask' }, 4]);
  // Between two ways that are left only one question decides.
  await page.getByLabel('The next one makes it good').check();
  const two = await seen(page);
  assert.deepEqual([two.outcomes, two.status, two.moot], [[], '2 of 12 ways are left.', 3]);
  assert.deepEqual(page.faults, []);
});

test('a link is copied, and an address that names an outcome shows it', async (t) => {
  const started = await browser(t);
  const home = await hosted(t);
  const permissions = ['clipboard-read', 'clipboard-write'];
  const page = await open(started, `${home}${PAGE}#choose-work-queue`, { permissions });
  await until('the outcome', async () => (await seen(page)).outcomes.length === 1);
  assert.deepEqual((await seen(page)).chosen, WORK_QUEUE);
  await page.bringToFront();
  await page.getByRole('button', { name: 'Copy link' }).click();
  await until('a word that it is done', async () => (await seen(page)).status === 'Link copied.');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, `${home}${PAGE}${query(WORK_QUEUE)}#choose`);
  assert.deepEqual(page.faults, []);
});

test('without JavaScript all questions and outcomes are there to be read', async (t) => {
  const started = await browser(t);
  const home = await hosted(t);
  const page = await open(started, home + PAGE, { javaScriptEnabled: false });
  const state = await seen(page);
  assert.equal(state.questions, 5);
  assert.equal(state.controls, 0, 'nothing to press that does nothing');
  assert.ok(state.outcomes.length > 8, state.outcomes.join());
  for (const id of state.outcomes) {
    const outcome = page.locator(`#${id}`);
    assert.match(await outcome.locator('.if').innerText(), /^For: .+\.$/, id);
    assert.ok(await outcome.locator('a.result').count(), `${id} leads to no lab`);
    assert.ok((await outcome.locator('.panel').count()) === 7, `${id} has no code for each client`);
  }
});

test('its script is small, and only where it is needed', async (t) => {
  const started = await browser(t);
  const home = await hosted(t);
  const [name, ...more] = readdirSync(site()).filter((file) => /^chooser-.*\.js$/.test(file));
  assert.deepEqual(more, []);
  const size = brotliCompressSync(readFileSync(join(site(), name))).length;
  assert.ok(size < 2_000, `${size} bytes`);
  const [without, with_] = [await open(started, home + CHAPTER), await open(started, home + PAGE)];
  assert.ok(!without.asked.some((url) => url.includes('chooser')));
  assert.ok(with_.asked.some((url) => url.endsWith(name)));
});

for (const colorScheme of ['light', 'dark']) {
  test(`${colorScheme}: no accessibility rule is broken, and nothing is wider than a phone`, async (t) => {
    const started = await browser(t);
    const home = await hosted(t);
    const page = await open(started, home + PAGE + query(WORK_QUEUE), { colorScheme, viewport: { width: 390, height: 900 } });
    await until('the outcome', async () => (await seen(page)).outcomes.length === 1);
    await page.evaluate(() => document.querySelectorAll('.chooser details').forEach((details) => { details.open = true; }));
    assert.deepEqual(await violations(page, '.chooser'), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.deepEqual(page.faults, []);
  });
}
