// A figure that is paused or out of sight does nothing at all.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

/** Counts every timer and frame that the page asks for. */
const count = (page) => page.addInitScript(() => {
  globalThis.asked = 0;
  for (const name of ['setTimeout', 'setInterval', 'requestAnimationFrame', 'requestIdleCallback']) {
    const real = globalThis[name];
    globalThis[name] = (...rest) => {
      globalThis.asked += 1;
      return real.apply(globalThis, rest);
    };
  }
});

/** What happens in a second on the page: timers and frames asked for, animations running. */
const second = async (page) => {
  const before = await page.evaluate(() => globalThis.asked);
  await new Promise((done) => setTimeout(done, 1_000));
  return page.evaluate((from) => ({
    asked: globalThis.asked - from,
    running: document.getAnimations().filter(({ playState }) => playState === 'running').length,
  }), before);
};

const NOTHING = { asked: 0, running: 0 };
const quiet = (page) => until('quiet', async () => {
  const { asked, running } = await second(page);
  return asked + running === 0;
}, async () => JSON.stringify(await second(page)));

test('a chapter costs nothing before, between and after playing, and out of sight', async (t) => {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER, { before: count });
  for (const slug of LABS) await liveLab(page, slug);
  const lab = await liveLab(page, LABS[0]);
  await quiet(page);
  assert.deepEqual(await second(page), NOTHING, 'as it opens');

  // The count counts: a playing clock is seen.
  await lab.button('Play').click();
  const playing = await second(page);
  assert.ok(playing.running > 0 && playing.asked > 0, JSON.stringify(playing));
  // … and asks for words now and then, not for every frame.
  assert.ok(playing.asked <= 25, `${playing.asked} timers in a second of playing`);

  await lab.button('Pause').click();
  await quiet(page);
  assert.deepEqual(await second(page), NOTHING, 'after pause');

  await lab.button('Play').click();
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await until('rest out of sight', async () => (await second(page)).running === 0);
  await quiet(page);
  assert.deepEqual(await second(page), NOTHING, 'out of sight');
  assert.deepEqual(page.faults, []);
});
