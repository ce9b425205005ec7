// Who asked for less motion gets none: nothing glides, fades or scrolls by itself, whatever is done. (That a playing run goes
// from event to event is in clock.test.mjs.)

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

/** Watches for whatever starts to move from now on. */
const watch = (page) => page.addInitScript(() => {
  globalThis.moved = [];
  const note = ({ type, target, propertyName, animationName }) =>
    globalThis.moved.push(`${type} ${propertyName ?? animationName} of ${target.tagName ?? 'the page'}.${target.className?.baseVal ?? target.className ?? ''}`);
  for (const type of ['transitionrun', 'animationstart']) addEventListener(type, note, true);
});

/** What has moved, could move smoothly, or moves now. */
const motion = (page) => page.evaluate(() => ({
  moved: globalThis.moved,
  running: document.getAnimations().filter(({ playState }) => playState === 'running').length,
  smooth: [...document.querySelectorAll('*')].filter((element) => getComputedStyle(element).scrollBehavior === 'smooth').length,
}));

async function everything(page) {
  const lab = await liveLab(page, LABS[0]);
  for (const name of ['Play', 'Pause', 'Next event', 'Previous event', 'Reset']) {
    await lab.button(name).click();
    await lab.settled();
  }
  await lab.knob('ack_wait').focus();
  await page.keyboard.press('ArrowRight');
  await lab.openEvents();
  await page.locator('details').evaluateAll((all) => all.forEach((details) => { details.open = true; }));
  await lab.view().hover();
  await page.locator('a.result').first().click();
  await lab.settled();
  return lab;
}

test('nothing moves that was not moved', async (t) => {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER, { reducedMotion: 'reduce', before: watch });
  const lab = await everything(page);
  assert.deepEqual(await motion(page), { moved: [], running: 0, smooth: 0 });
  await lab.button('Play').click();
  await lab.settled();
  assert.equal((await motion(page)).running, 0, 'a playing run does not glide');
  assert.deepEqual(page.faults, []);
});

test('else a playing run glides: the watch sees it', async (t) => {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER, { reducedMotion: 'no-preference', before: watch });
  const lab = await everything(page);
  await lab.button('Play').click();
  await lab.settled();
  assert.ok((await motion(page)).running > 0);
});
