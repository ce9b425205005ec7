// The clock of a lab: play, pause, step, scrub, keys.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

const [SLUG] = LABS;
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

async function start(t, options) {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER, options);
  const lab = await liveLab(page, SLUG);
  t.after(() => assert.deepEqual(page.faults, []));
  return { page, lab };
}

/** The movement of everything in the picture: how many animations run, and where they are. */
const movement = (lab) => lab.section.evaluate((section) => {
  const animations = section.getAnimations({ subtree: true });
  return {
    running: animations.filter(({ playState }) => playState === 'running').length,
    at: Math.max(-1, ...animations.map(({ currentTime }) => Number(currentTime))),
  };
});

test('a lab starts paused, on a moment at which something is seen', async (t) => {
  const { lab } = await start(t);
  assert.equal((await movement(lab)).running, 0);
  assert.equal(await lab.button('Play').count(), 1);
  assert.equal(await lab.button('Pause').count(), 0);
  assert.ok((await lab.moment()) > 0);
  const before = await lab.state();
  await wait(700);
  assert.deepEqual(await lab.state(), before);
});

test('play moves picture and caption; pause stops both', async (t) => {
  const { page, lab } = await start(t);
  await lab.button('Play').focus();
  await page.keyboard.press('Enter');
  await until('movement', async () => (await movement(lab)).running > 0);
  const first = await movement(lab);
  const caption = await lab.caption();
  await until('the picture to move on', async () => (await movement(lab)).at > first.at + 300);
  await until('the caption to move on', async () => (await lab.caption()) !== caption);
  await lab.button('Pause').click();
  await until('a stop', async () => (await movement(lab)).running === 0);
  const stopped = [await lab.state(), (await movement(lab)).at];
  await wait(700);
  assert.deepEqual([await lab.state(), (await movement(lab)).at], stopped);
  assert.equal(await lab.button('Play').count(), 1);
});

test('played to its end a run stops there, and plays again from the start', async (t) => {
  const { page, lab } = await start(t);
  await lab.section.getByRole('combobox', { name: 'Speed' }).selectOption({ label: '10×' });
  await lab.button('Play').click();
  await until('the end of the run', () => lab.button('Play').count());
  const end = await lab.moment();
  await lab.button('Play').click();
  await until('a new start', async () => (await lab.moment()) < end);
  await lab.button('Pause').or(lab.button('Play')).click();
  await page.keyboard.press('Home');
});

test('steps go through every event, forward and back, by mouse and by keyboard', async (t) => {
  const { page, lab } = await start(t);
  await lab.openEvents();
  const rows = await lab.events();
  assert.ok(rows.length > 6, `${rows.length} events`);
  await lab.button('Next event').focus();
  await page.keyboard.press('Home');
  const forward = [];
  for (let step = 0; step < rows.length; step += 1) {
    await lab.button('Next event').click();
    await lab.settled();
    forward.push(await lab.caption());
  }
  for (const [place, caption] of forward.entries()) {
    const told = rows[place].at(-1);
    assert.ok(caption.includes(told), `step ${place + 1}: the caption says “${caption}”, the table “${told}”`);
  }
  const back = [];
  for (let step = 0; step < rows.length; step += 1) {
    back.push(await lab.caption());
    await lab.button('Previous event').click();
    await lab.settled();
  }
  assert.deepEqual(back.reverse(), forward);
});

test('keys work while the lab has the focus, and only then', async (t) => {
  const { page, lab } = await start(t);
  await lab.button('Next event').focus();
  const press = async (key) => {
    await page.keyboard.press(key);
    await lab.settled();
    return lab.caption();
  };
  const start_ = await press('Home');
  const next = await press('ArrowRight');
  assert.notEqual(next, start_);
  const later = await press('ArrowRight');
  assert.notEqual(later, next);
  assert.equal(await press('ArrowLeft'), next);
  const end = await press('End');
  assert.notEqual(end, later);

  // Elsewhere on the page the keys are the browser's.
  await page.evaluate(() => document.activeElement.blur());
  for (const key of ['ArrowRight', 'ArrowLeft', 'Home', ' ', '.']) assert.equal(await press(key), end, key);
  assert.equal((await movement(lab)).running, 0);

  // A slider keeps its own keys.
  const knob = lab.knob('ack_wait');
  await knob.focus();
  const said = await knob.getAttribute('aria-valuetext');
  await press('ArrowRight');
  assert.notEqual(await knob.getAttribute('aria-valuetext'), said);
});

test('the space bar plays and pauses', async (t) => {
  const { page, lab } = await start(t);
  await lab.view().focus();
  await page.keyboard.press('Space');
  await until('movement', async () => (await movement(lab)).running > 0);
  await page.keyboard.press('Space');
  await until('a stop', async () => (await movement(lab)).running === 0);
});

test('scrubbing shows the moment under the slider', async (t) => {
  const { page, lab } = await start(t);
  const time = lab.section.getByRole('slider', { name: 'Time', exact: true });
  await time.focus();
  await page.keyboard.press('Home');
  await lab.settled();
  const seen = [await lab.caption()];
  for (let press = 0; press < 60; press += 1) {
    await page.keyboard.press('ArrowRight');
    await lab.settled();
    const caption = await lab.caption();
    if (caption !== seen.at(-1)) seen.push(caption);
  }
  assert.ok(seen.length >= 3, seen.join(' | '));
  assert.match(await time.getAttribute('aria-valuetext'), /\d/);
});

test('who asked for less motion gets steps', async (t) => {
  const { page, lab } = await start(t, { reducedMotion: 'reduce' });
  await lab.openEvents();
  await lab.view().focus();
  await page.keyboard.press('Home');
  await lab.settled();
  const rows = [await lab.caption(), ...(await lab.events()).map((cells) => cells.at(-1))];
  await lab.button('Play').click();
  const seen = new Set();
  await until('four events, one by one', async () => {
    assert.equal((await movement(lab)).running, 0, 'something moves');
    seen.add(await lab.caption());
    return seen.size >= 4;
  });
  for (const caption of seen) {
    assert.ok(rows.some((row) => caption.includes(row)), `not an event: ${caption}`);
  }
  await lab.button('Pause').click();
});
