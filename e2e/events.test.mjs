// The table of events: its filters narrow it, its copies are what it shows, its times and its arrow keys lead to moments.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { liveLab, words } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

const [CRASH, BATCH] = LABS;

async function start(t, slug, options = {}) {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER, options);
  t.after(() => assert.deepEqual(page.faults, []));
  const lab = await liveLab(page, slug);
  await lab.openEvents();
  return { page, lab, events: lab.section.locator('details.events') };
}

/** What the table says of its size: how many events fit, and how many there are. */
const size = async (events) => /^(\d+)(?: of (\d+))? events$/.exec(words(await events.locator('.fit').innerText())).slice(1).map((n) => n && Number(n));

test('filters by message, place and kind narrow the table, together', async (t) => {
  const { lab, events } = await start(t, CRASH);
  const all = await lab.events();
  assert.deepEqual(await size(events), [all.length, undefined]);
  const message = events.getByRole('combobox', { name: 'Message' });
  const who = events.getByRole('combobox', { name: 'Who' });
  const kind = events.getByRole('combobox', { name: 'Kind' });

  await message.fill('order-2');
  const second = await lab.events();
  assert.ok(second.length > 0 && second.length < all.length);
  assert.ok(second.every(([, , what]) => what.includes('order-2')), JSON.stringify(second));
  assert.deepEqual(await size(events), [second.length, all.length]);

  await message.fill('order');
  assert.ok((await lab.events()).length > second.length, 'a part of labels asks for all that have it');
  await message.fill('');

  for (const name of (await who.locator('option').allInnerTexts()).slice(1)) {
    await who.selectOption(name);
    const on = all.filter(([, whose]) => whose.split(', ').includes(name));
    assert.deepEqual(await lab.events(), on, name);
  }
  await who.selectOption('all');

  await kind.selectOption('redelivery');
  const again = await lab.events();
  assert.ok(again.length > 0 && again.every(([, , what]) => what.includes('again')), JSON.stringify(again));
  await message.fill('order-2');
  assert.deepEqual(await lab.events(), again.filter(([, , what]) => what.includes('gets order-2')));
  await message.fill('order-3');
  assert.deepEqual(await lab.events(), []);
  assert.match(await events.innerText(), /No event of this run fits\./);
});

test('a filter stays when a setting is turned', async (t) => {
  const { lab, events } = await start(t, CRASH);
  await events.getByRole('combobox', { name: 'Kind' }).selectOption('redelivery');
  const [[before]] = await lab.events();
  await lab.turn('ack_wait', /^12 s/);
  await until('the later redelivery', async () => (await lab.events())[0]?.[0] !== before);
  const [size] = await events.locator('.fit').allInnerTexts();
  assert.match(size, /^\d+ of \d+ events$/);
  assert.ok((await lab.events()).every(([, , what]) => what.includes('again')));
});

test('what is copied is what the filters leave, as text, CSV and JSON', async (t) => {
  const { page, lab, events } = await start(t, CRASH, { permissions: ['clipboard-read', 'clipboard-write'] });
  await events.getByRole('combobox', { name: 'Message' }).fill('order-1');
  const rows = await lab.events();
  const copied = async (name) => {
    await page.bringToFront();
    await page.evaluate(() => navigator.clipboard.writeText(''));
    await lab.button(name).click();
    const text = await until(`${name}: something in the clipboard`, () => page.evaluate(() => navigator.clipboard.readText()));
    await until('a word that it is done', async () => (await events.innerText()).includes(`${rows.length} events copied.`));
    return text;
  };
  const lines = (await copied('Copy as text')).trimEnd().split('\n').map((line) => words(line));
  assert.deepEqual(lines, rows.map((cells) => cells.join(' ')));
  const json = JSON.parse(await copied('Copy as JSON'));
  assert.deepEqual(json.map(({ who, what }) => [who, what]), rows.map(([, who, what]) => [who, what]));
  assert.ok(json.every(({ messages }) => messages.includes('order-1')));
  // The table has tenths of seconds.
  assert.deepEqual(json.map(({ time_ms: ms }) => (ms / 1_000).toFixed(1)), rows.map(([time]) => /[\d.]+/.exec(time)[0]));
  const csv = (await copied('Copy as CSV')).split('\r\n');
  assert.deepEqual([csv[0], csv.length], ['time_ms,who,messages,kinds,what', rows.length + 2]);
});

test('where the clipboard is closed, the events stand selected', async (t) => {
  const { page, lab, events } = await start(t, BATCH, {
    before: (page) => page.addInitScript(() => { delete Navigator.prototype.clipboard; }),
  });
  await lab.button('Copy as text').click();
  const field = events.getByRole('textbox', { name: 'Text to copy' });
  await field.waitFor();
  const chosen = await page.evaluate(() => getSelection().toString() || document.activeElement.value);
  assert.equal(chosen.trimEnd().split('\n').length, (await lab.events()).length);
});

test('arrow keys go through the table, a time shows its moment, and one row is marked', async (t) => {
  const { page, lab, events } = await start(t, BATCH);
  const rows = await lab.events();
  const times = events.locator('tbody button');
  await times.first().focus();
  for (let step = 1; step <= 3; step += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await until('its moment', async () => (await lab.caption()).includes(rows[2][2]));
  const marked = events.locator('tr[aria-current]');
  assert.equal(await marked.count(), 1);
  assert.equal(words(await marked.locator('button').innerText()), rows[2][0]);
  assert.equal(await events.locator('tbody button[tabindex="0"]').count(), 1, 'Tab leads to one of them');
});
