// The simulator gives the same run in the browser as natively.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

test('every lab runs in the browser as it ran when the page was written', async (t) => {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER);
  const labs = await page.locator('section.lab').evaluateAll((sections) => sections.map(({ id }) => id));
  assert.deepEqual(labs, LABS);
  const digests = new Set();
  for (const slug of LABS) {
    const lab = await liveLab(page, slug);
    const [written, live] = await lab.section.evaluate(({ dataset }) => [dataset.digest, dataset.liveDigest]);
    assert.match(written, /^[0-9a-f]{16}$/, slug);
    assert.equal(live, written, slug);
    digests.add(live);
  }
  assert.equal(digests.size, LABS.length, 'different labs give different runs');
  assert.deepEqual(page.faults, []);
});
