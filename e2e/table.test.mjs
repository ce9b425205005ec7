// The table of events, the twin of the picture: filtered, walked through by keyboard, copied as text, CSV and JSON.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

const [CRASH] = LABS;

async function start(t, options = {}) {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER, options);
  const lab = await liveLab(page, CRASH);
  await lab.openEvents();
  t.after(() => assert.deepEqual(page.faults, []));
  const by = (name) => lab.section.getByLabel(name, { exact: true });
  const filter = async (message, who, kind) => {
    await by('Message').fill(message);
    await by('Who').selectOption({ label: who });
    await by('Kind').selectOption({ label: kind });
    await lab.settled();
    return lab.events();
  };
  return { page, lab, filter, count: () => lab.section.locator('.filters [role=status]').innerText() };
}

test('rows are filtered by message, by worker and by kind', async (t) => {
  const { filter, count } = await start(t);
  const all = await filter('', 'all', 'all');
  assert.equal(await count(), `${all.length} events`);
  const that = (test_) => all.filter(([, who, what]) => test_(who, what));
  for (const [message, who, kind, expected] of [
    ['order-2', 'all', 'all', that((_, what) => /order-2/.test(what))],
    ['order', 'all', 'all', that((_, what) => /order/.test(what))],
    ['', 'run 3', 'all', that((by) => by.split(', ').includes('run 3'))],
    ['', 'all', 'redelivery', that((_, what) => / again, as delivery/.test(what))],
    ['order-1', 'run 3', 'redelivery', that((_, what) => /order-1 again, as delivery/.test(what))],
    ['', 'all', 'loss', []],
    ['none-like-it', 'all', 'all', []],
  ]) {
    assert.deepEqual(await filter(message, who, kind), expected, `${message}, ${who}, ${kind}`);
    assert.equal(await count(), `${expected.length} of ${all.length} events`);
  }
});

test('a change of a setting keeps the filters', async (t) => {
  const { lab, filter } = await start(t);
  const before = await filter('order-1', 'all', 'redelivery');
  await lab.turn('ack_wait', /^10 seconds/);
  const after = await lab.events();
  assert.ok(after.length > 0 && after.every(([, , what]) => /order-1 again/.test(what)), JSON.stringify(after));
  assert.notDeepEqual(after, before);
});

test('the row of now is marked, and the keyboard goes through the rows', async (t) => {
  const { page, lab } = await start(t);
  const rows = await lab.events();
  const marked = () => lab.section.locator('tr[aria-current=true]').allInnerTexts();
  await lab.view().focus();
  await page.keyboard.press('Home');
  for (const row of rows) {
    await page.keyboard.press('ArrowRight');
    await lab.settled();
    const [only, more] = await marked();
    assert.ok(only.includes(row[2]) && more === undefined, `${only} for ${row}`);
  }
  // One row can be reached by Tab: that of now. The arrows lead on from there, Enter shows the moment.
  const reachable = lab.section.locator('.events [data-row]:not([tabindex="-1"])');
  assert.equal(await reachable.count(), 1);
  await reachable.focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  const focused = await page.evaluate(() => document.activeElement.closest('tr').cells[2].innerText);
  assert.equal(focused, rows.at(-3)[2]);
  await page.keyboard.press('Enter');
  await lab.settled();
  assert.ok((await marked())[0].includes(focused));
  assert.ok((await lab.caption()).includes(focused));
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.evaluate(() => document.activeElement.closest('tr').cells[2].innerText), rows.at(-2)[2]);
});

test('what fits is copied as text, CSV and JSON', async (t) => {
  const { page, lab, filter } = await start(t, { permissions: ['clipboard-read', 'clipboard-write'] });
  const copied = async (name) => {
    await page.evaluate(() => navigator.clipboard.writeText(''));
    await lab.section.getByRole('group', { name: 'These events' }).getByRole('button', { name }).click();
    return until(`the copy as ${name}`, () => page.evaluate(() => navigator.clipboard.readText()));
  };
  const all = await filter('', 'all', 'all');
  const text = await copied('Copy as text');
  const lines = text.trimEnd().split('\n');
  assert.equal(lines.length, all.length);
  const column = lines[0].indexOf(all[0][2]);
  for (const [i, [time, who, what]] of all.entries()) {
    assert.ok(lines[i].startsWith(time) && lines[i].includes(who), lines[i]);
    assert.equal(lines[i].slice(column), what);
  }
  const some = await filter('order-1', 'all', 'redelivery');
  const json = JSON.parse(await copied('Copy as JSON'));
  assert.deepEqual(json.map(({ who, what }) => [who, what]), some.map(([, who, what]) => [who, what]));
  assert.deepEqual(json.map(({ messages, kinds, time_ms }) => ({ messages, kinds, time_ms })),
    [{ messages: ['order-1'], kinds: ['redelivery'], time_ms: 8001 }]);
  const csv = (await copied('Copy as CSV')).split('\r\n');
  assert.equal(csv[0], 'time_ms,who,messages,kinds,what');
  assert.ok(csv[1].startsWith('8001,"run 3","order-1","redelivery","Run 3 starts'), csv[1]);
  assert.equal(csv.length, some.length + 2);
});

test('where the clipboard is closed the text stands selected', async (t) => {
  const { page, lab } = await start(t, {
    before: (opened) => opened.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined });
    }),
  });
  await lab.section.getByRole('group', { name: 'These events' }).getByRole('button', { name: 'Copy as CSV' }).click();
  const field = lab.section.locator('.events textarea');
  await until('the text', () => field.isVisible());
  const [value, selected, focus] = await field.evaluate((element) =>
    [element.value, element.selectionEnd - element.selectionStart, document.activeElement === element]);
  assert.match(value, /^time_ms,who/);
  assert.deepEqual([selected, focus], [value.length, true]);
});
