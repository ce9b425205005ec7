// Pin a run, change a setting: both on one time axis, with what differs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { liveLab, words } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

const [SLUG] = LABS;

async function start(t, query = '') {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER + query);
  const lab = await liveLab(page, SLUG);
  t.after(() => assert.deepEqual(page.faults, []));
  const other = lab.section.locator('.other');
  const rows = () => lab.section.locator('.compare tbody tr').evaluateAll((all) =>
    all.map((row) => [...row.cells].map((cell) => cell.innerText).join(' | ')));
  return { page, lab, other, rows };
}

/** Where the playheads of both pictures are, from the left edge of the first. */
const heads = (lab) => lab.section.evaluate((section) =>
  [...section.querySelectorAll('.playhead rect')].map((head) => {
    const { left, width } = head.getBoundingClientRect();
    return Math.round(left + width / 2 - section.getBoundingClientRect().left);
  }));

test('a pinned run stays while settings change, and what differs is told and marked', async (t) => {
  const { page, lab, other, rows } = await start(t);
  assert.equal(await other.innerText(), '');
  await lab.button('Pin this run').click();
  await until('a second picture', () => other.locator('svg.scene').count());
  assert.match(words(await lab.section.locator('.compare').innerText()), /Both runs are the same\. Change a setting\./);
  assert.match(words(await other.innerText()), /^Pinned: the settings that this figure opens with/);
  const pinned = await other.locator('svg').evaluate((svg) => svg.querySelectorAll('path').length);

  // Run 3 comes at T+8 s: until then it makes no difference how long the stopwatches run.
  await lab.turn('ack_wait', /^6 seconds/);
  assert.match(words(await lab.section.locator('.compare').innerText()), /Other settings, and the same comes of them/);
  await lab.turn('ack_wait', /^10 seconds/);
  assert.deepEqual(await rows(), [
    'order-1, delivery 2 | T+8.0 s | T+10.0 s',
    'order-1 is worked on | T+9.4 s | T+11.4 s',
    'order-2, delivery 2 | T+9.4 s | T+11.4 s',
    'order-2 is worked on | T+10.8 s | T+12.8 s',
  ]);
  const marks = await lab.section.evaluate((section) =>
    [...section.querySelectorAll('svg.scene')].map((svg) => svg.querySelectorAll('.differs').length > 0));
  assert.deepEqual(marks, [true, true]);
  assert.ok(Math.abs(pinned - (await other.locator('svg').evaluate((svg) => svg.querySelectorAll('path').length))) <= 1);
  assert.match(words(await lab.section.locator('.which.now').innerText()), /^Now: ack_wait 10 s/);

  // One time axis: both playheads stand at one place, and go together.
  for (const press of ['Home', 'ArrowRight', 'End']) {
    await lab.view().focus();
    await page.keyboard.press(press);
    await lab.settled();
    const [a, b] = await heads(lab);
    assert.ok(Math.abs(a - b) <= 1, `${press}: ${a} and ${b}`);
  }

  // The address has both.
  await until('the address', () => /pin=/.test(page.url()) && /ack_wait=10s/.test(page.url()));
  const shared = await start(t, new URL(page.url()).search);
  await until('the pinned run of the address', () => shared.other.locator('svg.scene').count());
  assert.equal((await shared.rows()).length, 4);

  await lab.button('Let the pinned run go').click();
  assert.equal(await other.innerText(), '');
  assert.deepEqual(await rows(), []);
  await until('the address without it', () => !/pin=/.test(page.url()));
});

test('what the address says of a pinned run is checked like all of it', async (t) => {
  const { lab, other } = await start(t, '?pin=ack_wait~banana~nonsense~1&ack_wait=8s');
  const notices = (await lab.notices()).join(' ');
  assert.match(notices, /banana/);
  assert.match(notices, /nonsense/);
  assert.equal(await other.locator('svg.scene').count(), 1, 'the pinned run is the default one then');
});
