// The editor of a backoff: entries are added, removed, typed, dragged and moved by keyboard, and the picture follows.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { liveLab, words } from './support/lab.mjs';
import { CHAPTER, hosted } from './support/site.mjs';

const SLUG = 'crash-redelivery';

async function editor(t, query = '', options = {}) {
  const page = await open(await browser(t), `${await hosted(t)}${CHAPTER}${query}`, options);
  const lab = await liveLab(page, SLUG);
  const box = lab.section.locator(`#${SLUG}-knob-backoff-box`);
  await box.scrollIntoViewIfNeeded();
  return {
    page,
    lab,
    box,
    entry: (n) => box.getByRole('textbox', { name: `backoff, entry ${n}`, exact: true }),
    texts: () => box.locator('li .typed').evaluateAll((fields) => fields.map((field) => field.value).join(' ')),
    said: async () => words(await box.locator('.hint').innerText()),
    note: async () => words(await box.locator('.note').innerText()),
    /** The numbers on the deliveries of the picture, and the times above them. */
    picture: () => box.locator('.schedule').evaluate((frame) => ({
      deliveries: [...frame.querySelectorAll('.delivery + .num')].map((text) => text.textContent).join(' '),
      times: [...frame.querySelectorAll('.when')].map((text) => text.textContent).join(', '),
      handles: frame.querySelectorAll('.handle').length,
      givenUp: frame.querySelectorAll('.end').length,
    })),
    inAddress: (value) => until(`backoff=${value} in the address`,
      () => new URL(page.url()).searchParams.get('backoff') === value, () => page.url()),
  };
}

test('entries are added, typed and removed by keyboard', async (t) => {
  const { page, lab, box, entry, texts, said, note, picture, inAddress } = await editor(t);
  assert.match(await said(), /none: every stopwatch is ack_wait, 5 s/);
  assert.equal((await picture()).deliveries, '');

  await lab.button('Add entry').focus();
  await page.keyboard.press('Enter');
  assert.equal(await texts(), '1s');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'backoff, entry 1');
  await lab.button('Add entry').click();
  await lab.button('Add entry').click();
  assert.equal(await texts(), '1s 2s 4s');
  await inAddress('1s,2s,4s');
  assert.match(await said(), /goes out at 0 s, 1 s, 3 s, 7 s, then every 4 s/);
  assert.deepEqual(await picture(), { deliveries: '1 2 3 4 5', times: '0 s, 1 s, 3 s, 7 s', handles: 3, givenUp: 0 });

  // Half of an entry changes nothing and is no mistake; done, it is one, and it stays.
  await entry(2).fill('3');
  assert.equal(await texts(), '1s 3 4s');
  assert.doesNotMatch(await note(), /is not a duration/);
  await inAddress('1s,2s,4s');
  await page.keyboard.press('Enter');
  assert.match(await note(), /3 is not a duration/);
  assert.equal(await entry(2).getAttribute('aria-invalid'), 'true');
  assert.equal(await entry(1).getAttribute('aria-invalid'), 'false');
  await lab.button('Add entry').click();
  assert.equal(await texts(), '1s 3 4s 8s', 'what was typed is not lost');
  await entry(2).fill('3s');
  await inAddress('1s,3s,4s,8s');

  await lab.button('Remove entry 1').focus();
  await page.keyboard.press('Enter');
  assert.equal(await texts(), '3s 4s 8s');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Remove entry 1');

  // A whole list in one field becomes as many entries.
  await entry(1).fill('100ms, 1s');
  await page.keyboard.press('Enter');
  assert.equal(await texts(), '100ms 1s 4s 8s');
  await inAddress('100ms,1s,4s,8s');
  await lab.button('Reset backoff to none').click();
  assert.equal(await texts(), '');
  await inAddress(null);
  assert.deepEqual(page.faults, []);
});

test('entries change places by keyboard and by mouse', async (t) => {
  const { page, lab, box, texts, inAddress } = await editor(t, '?backoff=1s,5s,30s');
  await lab.button('Move entry 1, with the arrow keys').focus();
  const moment = await lab.moment();
  await page.keyboard.press('ArrowRight');
  assert.equal(await texts(), '5s 1s 30s');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  assert.equal(await texts(), '5s 30s 1s');
  assert.equal(await lab.moment(), moment, 'the arrow keys are the entry\'s');
  await inAddress('5s,30s,1s');

  const middle = async (locator) => {
    const at = await locator.boundingBox();
    return [at.x + at.width / 2, at.y + at.height / 2];
  };
  await page.mouse.move(...(await middle(box.locator('.grip').nth(2))));
  await page.mouse.down();
  await page.mouse.move(...(await middle(box.locator('li').nth(1))), { steps: 4 });
  await page.mouse.move(...(await middle(box.locator('li').nth(0))), { steps: 4 });
  assert.equal(await texts(), '1s 5s 30s', 'they make room while it is dragged');
  await page.mouse.up();
  await page.mouse.move(...(await middle(box.locator('li').nth(2))));
  assert.equal(await texts(), '1s 5s 30s', 'it stays where it was let go');
  await inAddress('1s,5s,30s');
  assert.deepEqual(page.faults, []);
});

test('a mark of the picture is dragged to another time', async (t) => {
  const { page, box, texts, said, picture } = await editor(t, '?backoff=1s,5s,30s&max_deliver=4');
  assert.deepEqual(await picture(), { deliveries: '1 2 3 4', times: '0 s, 1 s, 6 s, 36 s', handles: 3, givenUp: 1 });
  assert.match(await said(), /given up at 1 min 6 s/);
  const handle = box.locator('.handle').first();
  const at = await handle.boundingBox();
  const [x, y] = [at.x + at.width / 2, at.y + at.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 60, y, { steps: 5 });
  const here = await handle.boundingBox();
  assert.ok(Math.abs(here.x + here.width / 2 - x - 60) < 4, 'the mark stays under the pointer');
  await page.mouse.up();
  const [first, ...rest] = (await texts()).split(' ');
  assert.match(first, /^[12]\.\ds$/);
  assert.deepEqual(rest, ['5s', '30s'], 'the others stay');
  assert.match(await said(), new RegExp(`0 s, ${first.replace('s', ' s')}, `));
  await page.mouse.move(x, y);
  assert.equal((await texts()).split(' ')[0], first, 'and it stays there');
  assert.deepEqual(page.faults, []);
});

test('by touch as well', async (t) => {
  const { page, box, texts } = await editor(t, '?backoff=1s,5s,30s',
    { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
  const grip = await box.locator('.grip').first().boundingBox();
  const over = await box.locator('li').nth(1).boundingBox();
  const touch = await page.context().newCDPSession(page);
  const send = (type, x, y) => touch.send('Input.dispatchTouchEvent',
    { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] });
  await send('touchStart', grip.x + 20, grip.y + 20);
  await send('touchMove', grip.x + 60, grip.y + 22);
  await send('touchMove', over.x + over.width / 2, over.y + over.height / 2);
  await send('touchEnd');
  await until('the entries to change places', async () => (await texts()) === '5s 1s 30s', texts);
});

test('presets fill the list, and a list of one\'s own is called so', async (t) => {
  const { lab, box, texts, entry, inAddress } = await editor(t);
  const presets = box.getByRole('combobox', { name: 'backoff' });
  await presets.selectOption('2s,4s');
  assert.equal(await texts(), '2s 4s');
  await inAddress('2s,4s');
  await entry(2).fill('7s');
  await inAddress('2s,7s');
  assert.equal(await presets.evaluate((select) => select.selectedOptions[0].textContent), 'own list');
  await presets.selectOption('none');
  assert.equal(await texts(), '');
  assert.equal(await lab.refused(), '');
});
