// Every kind of knob does what it says: by keyboard, by typing, by switch and by choice.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { CHAPTER, hosted } from './support/site.mjs';

const SLUG = 'crash-redelivery';

/** What the address says of a setting, once it says `value`. */
const inAddress = (page, key, value) => until(`${key}=${value} in the address`,
  () => new URL(page.url()).searchParams.get(key) === value, () => page.url());

/** The state of a knob's parts: what is typed, where the scale stands, and what is said beside it. */
async function parts(lab, name) {
  return lab.section.locator(`#${SLUG}-knob-${name}-box`).evaluate((box) => ({
    typed: box.querySelector('.typed')?.value,
    said: box.querySelector('[type="range"]')?.getAttribute('aria-valuetext'),
    note: box.querySelector('.note').textContent,
    invalid: box.querySelector('.typed')?.getAttribute('aria-invalid'),
    back: box.querySelector('.back').hidden === false,
  }));
}

test('a time is set by scale and by typing, and both stay in step', async (t) => {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER);
  const lab = await liveLab(page, SLUG);
  const scale = lab.knob('ack_wait');
  const field = lab.section.getByRole('textbox', { name: 'ack_wait', exact: true });
  const usual = await lab.state();

  // By the keys of the scale: each step lands on a sensible value.
  await scale.focus();
  const said = [];
  for (let step = 0; step < 8; step += 1) {
    await page.keyboard.press('ArrowRight');
    said.push((await parts(lab, 'ack_wait')).typed);
  }
  assert.deepEqual(said, ['6s', '7s', '8s', '10s', '12s', '15s', '20s', '30s']);
  assert.equal((await parts(lab, 'ack_wait')).said, '30 seconds');

  // Half a duration is no mistake, and the figure waits for the whole of it.
  await field.fill('');
  await field.pressSequentially('1m30');
  assert.deepEqual(await parts(lab, 'ack_wait'),
    { typed: '1m30', said: '1 minute', note: '', invalid: 'false', back: true });
  await field.pressSequentially('s');
  assert.equal((await parts(lab, 'ack_wait')).said, '1 minute 30 seconds');
  await inAddress(page, 'ack_wait', '1m30s');

  // The scale goes on from there to its own values, and back to the typed one.
  await scale.focus();
  await page.keyboard.press('ArrowLeft');
  assert.equal((await parts(lab, 'ack_wait')).typed, '30s');
  await page.keyboard.press('ArrowRight');
  assert.equal((await parts(lab, 'ack_wait')).typed, '1m30s');

  // What is no duration stays as it was typed, with a sentence, and the last value holds.
  await field.fill('5 bananas');
  await page.keyboard.press('Enter');
  const wrong = await parts(lab, 'ack_wait');
  assert.match(wrong.note, /`?5 bananas`? is not a duration; write one such as 500ms/);
  assert.deepEqual([wrong.typed, wrong.invalid, wrong.said], ['5 bananas', 'true', '1 minute 30 seconds']);
  assert.equal(await field.getAttribute('aria-describedby'), `${SLUG}-knob-ack_wait-note`);

  // Another knob does not sweep it away; its own way back does.
  await lab.knob('run 3 starts at').focus();
  await page.keyboard.press('ArrowLeft');
  assert.equal((await parts(lab, 'ack_wait')).typed, '5 bananas');
  await lab.button('Reset ack_wait to 5 s').click();
  assert.deepEqual(await parts(lab, 'ack_wait'),
    { typed: '5s', said: '5 seconds', note: '', invalid: 'false', back: false });
  assert.equal(await page.evaluate(() => document.activeElement.id), `${SLUG}-knob-ack_wait`);

  await lab.button('Reset').click();
  assert.deepEqual(await lab.state(), usual);
  assert.deepEqual(page.faults, []);
});

test('a limit is a number or none', async (t) => {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER);
  const lab = await liveLab(page, SLUG);
  const none = lab.section.getByRole('switch', { name: 'max_deliver no limit' });
  const field = lab.section.getByRole('spinbutton', { name: 'max_deliver' });
  assert.ok(await none.isChecked());
  assert.equal(await field.inputValue(), '');

  await field.fill('4');
  await inAddress(page, 'max_deliver', '4');
  assert.ok(!(await none.isChecked()), 'a number is a limit');
  await none.focus();
  await page.keyboard.press('Space');
  await inAddress(page, 'max_deliver', null);
  assert.equal(await field.inputValue(), '');
  // The number that was there comes back.
  await page.keyboard.press('Space');
  await inAddress(page, 'max_deliver', '4');
  assert.equal(await field.inputValue(), '4');
  await field.fill('');
  await field.blur();
  assert.match((await parts(lab, 'max_deliver')).note, /Nothing is written here; the value stays 4/);
  assert.deepEqual(page.faults, []);
});

test('switches and choices are native, change the run and stand in the address', async (t) => {
  const started = await browser(t);
  const home = await hosted(t);
  const page = await open(started, home + CHAPTER);
  const lab = await liveLab(page, SLUG);
  await lab.section.getByText('More settings').click();
  const server = lab.section.getByRole('combobox', { name: 'nats-server' });
  assert.deepEqual(await server.locator('option').allTextContents(), ['2.10', '2.11', '2.12', '2.14', '2.15']);
  await server.selectOption('2.14');
  await inAddress(page, 'version', '2.14');
  const idempotent = lab.section.getByRole('switch', { name: 'effect is idempotent' });
  await idempotent.focus();
  await page.keyboard.press('Space');
  await inAddress(page, 'idempotent', 'on');

  // The address opens the same lab, with what it has set in sight.
  const other = await open(started, page.url());
  const again = await liveLab(other, SLUG);
  assert.deepEqual((await again.state()).knobs, (await lab.state()).knobs);
  assert.ok(await again.section.getByRole('switch', { name: 'effect is idempotent' }).isVisible());
  assert.deepEqual([...page.faults, ...other.faults], []);
});

test('whatever a finger has to hit is 44 pixels, and nothing is wider than a small phone', async (t) => {
  const page = await open(await browser(t), `${await hosted(t)}${CHAPTER}?backoff=1s,5s,30s&max_deliver=9`,
    { viewport: { width: 320, height: 700 }, hasTouch: true, isMobile: true });
  const lab = await liveLab(page, SLUG);
  assert.ok(await page.evaluate(() => matchMedia('(pointer: coarse)').matches));
  const small = await lab.section.locator('.settings').evaluate((settings) =>
    [...settings.querySelectorAll('button, select, summary, input:not([role="switch"]), .toggle')]
      .filter((control) => control.getClientRects().length > 0)
      .map((control) => [control.id || control.className, control.getBoundingClientRect()])
      .filter(([, box]) => box.height < 43.5 || box.width < 43.5 || box.right > 320)
      .map(([name, box]) => `${name}: ${box.width} × ${box.height}, to ${box.right}`));
  assert.deepEqual(small, []);
});
