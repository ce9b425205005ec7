// Goals: ticked by a run that shows them, announced once, and kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { liveLab, words } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

async function start(t, slug) {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER);
  const lab = await liveLab(page, slug);
  t.after(() => assert.deepEqual(page.faults, []));
  const goals = lab.section.locator('.goals li');
  const news = lab.section.locator('.goals').getByRole('status');
  const done = async () => (await goals.allInnerTexts()).map((text) => words(text).startsWith('Done: '));
  return { page, lab, goals, news, done };
}

test('a goal is ticked by doing it, said once, and stays ticked', async (t) => {
  const { lab, goals, news, done } = await start(t, 'batch-ageing');
  const [, out] = await goals.allInnerTexts();
  assert.match(out, /^Have stopwatches run out/);
  assert.deepEqual(await done(), [false, false, false]);
  await lab.turn('second worker (0: none)', /^0$/, 'Home');
  await until('the tick', async () => (await done())[1], async () => JSON.stringify(await done()));
  assert.deepEqual(await done(), [false, true, false]);
  assert.match(words(await news.innerText()), /^Done: Have stopwatches run out/);
  await lab.button('Reset').click();
  await until('the default run', async () => /order-6 to order-10/.test(await lab.section.locator('.say').innerText()));
  await new Promise((wait) => setTimeout(wait, 600));
  assert.deepEqual(await done(), [false, true, false]);
});

test('settings that a goal fixes count', async (t) => {
  // None comes back with a longer ack_wait either, but the first goal forbids it.
  const { lab, done } = await start(t, 'batch-ageing');
  await lab.turn('ack_wait', /^2 seconds 500 milliseconds$|^2\.5 seconds$/);
  await until('a run without a repeat', async () => /each delivered once/.test(await lab.section.locator('.say').innerText()),
    () => lab.section.locator('.say').innerText());
  await new Promise((wait) => setTimeout(wait, 600));
  assert.deepEqual(await done(), [false, false, false]);
});

test('one way to each goal of the book reaches it', async (t) => {
  for (const slug of LABS) {
    const { goals, done } = await start(t, slug);
    const many = await goals.count();
    assert.ok(many >= 2, slug);
    for (let i = 0; i < many; i += 1) {
      assert.equal((await done())[i], false, `${slug}: goal ${i + 1} before it is done`);
      await goals.nth(i).getByRole('link', { name: /^One way to do it: / }).click();
      await until(`goal ${i + 1} of ${slug}`, async () => (await done())[i]);
    }
  }
});
