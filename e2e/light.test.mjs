// A message among all: pointing at it lights its life, choosing it opens its card.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { liveLab, words } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

const [SLUG] = LABS;

async function start(t, options) {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER, options);
  const lab = await liveLab(page, SLUG);
  t.after(() => assert.deepEqual(page.faults, []));
  return { page, lab, card: lab.section.locator('.card') };
}

/** The numbers of the messages that are lit; empty if nothing is. */
const lit = (lab) => lab.picture().evaluate((svg) =>
  svg.closest('.lit')
    ? [...new Set([...svg.querySelectorAll('.on')].map((mark) => mark.dataset.msg ?? mark.getAttribute('class')))].sort()
    : []);

/** Something of a message that a pointer can hit. */
const mark = (lab, msg) => lab.picture().locator(`text[data-msg="${msg}"]`).first();

test('pointing at a message lights its whole life and dims the rest', async (t) => {
  const { page, lab } = await start(t);
  assert.deepEqual(await lit(lab), []);
  await mark(lab, 0).hover();
  await until('the message to be lit', async () => (await lit(lab)).length);
  assert.deepEqual(await lit(lab), ['0']);
  const [own, other] = await Promise.all([0, 1].map((msg) =>
    mark(lab, msg).evaluate((text) => Number(getComputedStyle(text).opacity))));
  assert.ok(own > 0.9 && other < 0.5, `own ${own}, other ${other}`);
  await page.mouse.move(2, 2);
  await until('the light to go out', async () => !(await lit(lab)).length);
});

test('a click opens the card of a message: where it is, its history, its moments', async (t) => {
  const { page, lab, card } = await start(t, { hasTouch: true });
  assert.equal(await card.innerText(), '');
  await mark(lab, 0).tap();
  await until('the card', async () => (await card.innerText()) !== '');
  const text = words(await card.innerText());
  assert.match(text, /^order-1 It is in flight, delivery 2: run 3 works on it\. Its stopwatch runs out at T\+13\.0 s\./);
  assert.match(text, /T\+0\.6 s Run 1 dies/);
  // A moment of it can be shown; the card says where the message was then.
  await card.getByRole('button', { name: /^T\+5\.0 s/ }).click();
  await until('the moment', async () => (await lab.moment()) === 5);
  assert.match(words(await card.innerText()), /^order-1 It waits on the server to be delivered again, since T\+5\.0 s\./);
  // Another setting: the same message, another life.
  await lab.turn('ack_wait', /^8 seconds/);
  assert.match(words(await card.innerText()), /^order-1 It is in flight, delivery 1: run 1 died over it/);
  assert.deepEqual(await lit(lab), ['0']);
  await card.getByRole('button', { name: 'Close' }).click();
  assert.equal(await card.innerText(), '');
  assert.deepEqual(await lit(lab), []);
  assert.ok(await lab.view().evaluate((view) => view === document.activeElement), 'the focus is in the picture again');
  assert.equal(page.url().includes('undefined'), false);
});

test('by keyboard: m goes through the messages, Escape closes the card', async (t) => {
  const { page, lab, card } = await start(t);
  await lab.view().focus();
  for (const [key, name] of [['m', 'order-1'], ['m', 'order-2'], ['m', 'order-1'], ['Shift+M', 'order-2']]) {
    await page.keyboard.press(key);
    await until(name, async () => words(await card.innerText()).startsWith(name));
  }
  await page.keyboard.press('Escape');
  await until('the card to close', async () => (await card.innerText()) === '');
  assert.deepEqual(await lit(lab), []);
});

test('a word of the text lights a message or a state', async (t) => {
  const { lab } = await start(t);
  const say = (detail) => lab.section.evaluate((section, detail) => {
    section.dispatchEvent(new CustomEvent('light', { detail }));
  }, detail);
  await say({ msg: 'order-2' });
  assert.deepEqual(await lit(lab), ['1']);
  await say({ state: 'again' });
  const marks = await lab.picture().evaluate((svg) => [...svg.querySelectorAll('.on')].map((mark) => mark.classList.contains('again')));
  assert.ok(marks.length > 2 && marks.every(Boolean), JSON.stringify(marks));
  for (const nothing of [{}, { msg: 'order-99' }, { state: '*' }, null, 7]) {
    await say(nothing);
    assert.deepEqual(await lit(lab), [], JSON.stringify(nothing));
  }
});
