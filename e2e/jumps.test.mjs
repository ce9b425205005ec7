// Jumps to what decides a run, and playing it again and again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

const [CRASH, BATCH] = LABS;

async function start(t, slug, options) {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER, options);
  t.after(() => assert.deepEqual(page.faults, []));
  return { page, lab: await liveLab(page, slug) };
}

/** The moments of the events of a kind, by the filter of the table. */
async function moments(lab, kind) {
  await lab.openEvents();
  await lab.section.getByRole('combobox', { name: 'Kind' }).selectOption(kind);
  return (await lab.events()).map(([time]) => Number(/[\d.]+/.exec(time)[0]));
}

test('each button goes through the events of its kind and round again; its key does the same', async (t) => {
  const { page, lab } = await start(t, BATCH);
  for (const [kind, key] of [['redelivery', 'r'], ['duplicate', 'd']]) {
    const at = await moments(lab, kind);
    assert.ok(at.length > 0, kind);
    await lab.view().focus();
    await page.keyboard.press('Home');
    const seen = [];
    for (let step = 0; step <= at.length; step += 1) {
      await lab.button(kind).click();
      await lab.settled();
      seen.push(await lab.moment());
    }
    assert.deepEqual(seen, [...at, at[0]], `${kind}, and the first again`);
    await lab.view().focus();
    await page.keyboard.press('Home');
    await page.keyboard.press(key);
    await lab.settled();
    assert.equal(await lab.moment(), at[0], key);
    await page.keyboard.press(`Shift+${key.toUpperCase()}`);
    await lab.settled();
    assert.equal(await lab.moment(), at.at(-1), `Shift+${key}, from the first round to the last`);
  }
});

test('what a run does not have cannot be pressed, and comes and goes with the settings', async (t) => {
  const { lab } = await start(t, CRASH);
  const states = async () => Object.fromEntries(await Promise.all(['loss', 'redelivery', 'duplicate', 'dead letter']
    .map(async (kind) => [kind, await lab.button(kind).isEnabled()])));
  assert.deepEqual(await states(), { loss: false, redelivery: true, duplicate: false, 'dead letter': false });
});

test('a looping run begins again at its end; from the start plays at once', async (t) => {
  const { lab } = await start(t, CRASH);
  const loop = lab.button('Loop');
  assert.equal(await loop.getAttribute('aria-pressed'), 'false');
  await loop.click();
  assert.equal(await loop.getAttribute('aria-pressed'), 'true');
  await lab.section.getByRole('combobox', { name: 'Speed' }).selectOption({ label: '10×' });
  await lab.button('From the start').click();
  await until('a late moment', async () => (await lab.moment()) > 5);
  await until('the start again', async () => (await lab.moment()) < 5);
  assert.equal(await lab.button('Pause').count(), 1, 'it plays on');
  await loop.click();
  await until('the end of the run', () => lab.button('Play').count());
});
