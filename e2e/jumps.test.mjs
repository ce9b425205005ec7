// What the clock offers besides its steps: jumps to what decides a run, play from the start, again and again, at any speed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

const [CRASH, BATCH] = LABS;
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

async function start(t, slug = CRASH) {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER);
  const lab = await liveLab(page, slug);
  t.after(() => assert.deepEqual(page.faults, []));
  return { page, lab, jumps: lab.section.getByRole('group', { name: 'Jump to the next' }) };
}

const enabled = (jumps) => jumps.getByRole('button').evaluateAll((all) =>
  all.filter((button) => !button.disabled).map((button) => button.textContent));

test('a run offers the kinds of events that it has', async (t) => {
  const { page, lab, jumps } = await start(t);
  const all = await jumps.getByRole('button').allInnerTexts();
  assert.deepEqual(all, ['loss', 'redelivery', 'duplicate', 'dead letter']);
  assert.deepEqual(await enabled(jumps), ['redelivery']);
  // With one delivery allowed nothing comes back, and what ran out is given up.
  await lab.knob('max_deliver').focus();
  await page.keyboard.press('Home');
  await lab.settled();
  assert.deepEqual(await enabled(jumps), ['dead letter']);
  const batch = await liveLab(page, BATCH);
  assert.deepEqual(
    await enabled(batch.section.getByRole('group', { name: 'Jump to the next' })),
    ['redelivery', 'duplicate'],
  );
});

test('jumps go from one to the next and round, forward and back, by mouse and by keyboard', async (t) => {
  const { page, lab, jumps } = await start(t);
  const redelivery = jumps.getByRole('button', { name: 'redelivery' });
  await lab.view().focus();
  const press = async (key) => {
    await page.keyboard.press(key);
    await lab.settled();
    return lab.caption();
  };
  const click = async (options) => {
    await redelivery.click(options);
    await lab.settled();
    return lab.caption();
  };
  await press('Home');
  const first = await click();
  const second = await click();
  assert.match(first, /order-1 again, as delivery 2/);
  assert.match(second, /order-2 again, as delivery 2/);
  assert.equal(await click(), first, 'round');
  assert.equal(await click({ modifiers: ['Shift'] }), second, 'back and round');
  assert.equal(await click({ modifiers: ['Shift'] }), first, 'back');
  await lab.view().focus();
  await press('Home');
  assert.equal(await press('r'), first);
  assert.equal(await press('r'), second);
  assert.equal(await press('Shift+R'), first);
  // A kind that the run does not have changes nothing.
  for (const key of ['l', 'd', 'x']) assert.equal(await press(key), first, key);
  // Elsewhere the keys are the page's.
  await page.evaluate(() => document.activeElement.blur());
  assert.equal(await press('r'), first);
  await lab.view().focus();
  await page.keyboard.press('?');
  assert.match(await lab.section.locator('.keys').innerText(), /redelivery/);
});

test('a jump is a link that others can open', async (t) => {
  const { page, lab, jumps } = await start(t);
  await jumps.getByRole('button', { name: 'redelivery' }).click();
  await until('the address', () => page.url().includes('t='));
  const caption = await lab.caption();
  await page.reload();
  const again = await liveLab(page, CRASH);
  assert.equal(await again.caption(), caption);
});

test('there is every speed from a quarter to a thousand times', async (t) => {
  const { lab } = await start(t);
  const speeds = await lab.section.getByRole('combobox', { name: 'Speed' }).locator('option').allInnerTexts();
  assert.deepEqual(speeds, ['0.25×', '0.5×', '1×', '2×', '5×', '10×', '100×', '1000×']);
});

test('play from the start plays from there, wherever the clock stands', async (t) => {
  const { page, lab } = await start(t);
  await lab.view().focus();
  await page.keyboard.press('End');
  await lab.settled();
  await lab.section.getByRole('combobox', { name: 'Speed' }).selectOption({ label: '1×' });
  await lab.button('From the start').click();
  await until('it to play', () => lab.button('Pause').count());
  await lab.button('Pause').click();
  assert.ok((await lab.moment()) < 5, `${await lab.moment()}`);
});

test('a run stops at its end, unless it is to loop', async (t) => {
  const { page, lab } = await start(t);
  const loop = lab.section.getByRole('button', { name: 'Loop', exact: true });
  assert.equal(await loop.getAttribute('aria-pressed'), 'false');
  await loop.focus();
  await page.keyboard.press('Enter');
  assert.equal(await loop.getAttribute('aria-pressed'), 'true');
  await lab.section.getByRole('combobox', { name: 'Speed' }).selectOption({ label: '10×' });
  await lab.view().focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await lab.settled();
  const late = await lab.moment();
  await lab.button('Play').click();
  await until('a new beginning', async () => (await lab.moment()) < late - 2);
  assert.equal(await lab.button('Pause').count(), 1, 'it goes on');

  // Out of sight it stops all the same.
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await until('a stop out of sight', () => lab.button('Play').count());
  await lab.section.evaluate((section) => section.scrollIntoView({ block: 'start' }));

  await loop.click();
  assert.equal(await loop.getAttribute('aria-pressed'), 'false');
  await lab.section.getByRole('combobox', { name: 'Speed' }).selectOption({ label: '1000×' });
  await lab.button('From the start').click();
  await until('the end', async () => (await lab.button('Play').count()) && (await lab.moment()) > late - 1);
  await wait(300);
  assert.equal(await lab.button('Play').count(), 1);
});
