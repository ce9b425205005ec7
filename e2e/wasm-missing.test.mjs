// A program that is missing or broken takes nothing from the page: the prose, the pictures and one quiet line.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { words } from './support/lab.mjs';
import { prose } from './support/prose.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

const QUIET = /not live/i;

const CASES = [
  ['the Wasm file does not arrive', '**/*.wasm', (route) => route.abort()],
  ['the Wasm file is not on the host', '**/*.wasm', (route) => route.fulfill({ status: 404, body: 'Not found' })],
  ['the Wasm file is garbage', '**/*.wasm',
    (route) => route.fulfill({ contentType: 'application/wasm', body: Buffer.from('\0asm\u0001\0\0\0garbage') })],
  ['the Wasm file is cut short', '**/*.wasm', async (route) => {
    const response = await route.fetch();
    const body = await response.body();
    await route.fulfill({ response, body: body.subarray(0, body.length >> 1) });
  }],
  ['its JavaScript does not arrive', /delivery-lab[^/]*\.js$/, (route) => route.abort()],
];

for (const [name, files, fail] of CASES) {
  test(name, async (t) => {
    const home = await hosted(t);
    const started = await browser(t);
    const still = await open(started, home + CHAPTER, { javaScriptEnabled: false });
    const expected = await prose(still);

    let intercepted = 0;
    const before = (page) => page.route(files, (route) => {
      intercepted += 1;
      return fail(route);
    });
    const page = await open(started, home + CHAPTER, { before });
    for (const slug of LABS) {
      await page.locator(`section.lab#${slug}`).scrollIntoViewIfNeeded();
      await until(`${slug} to rest`, () => page.locator(`section.lab.still#${slug}`).count(), () => JSON.stringify(page.faults));
    }
    const lines = page.getByText(QUIET);
    await until('a line that says that the figures are not live', () => lines.count(),
      () => JSON.stringify(page.faults));
    assert.ok(intercepted > 0, 'the failure was staged');

    const found = await prose(page);
    assert.equal(found.text.replace(QUIET, ''), expected.text.replace(QUIET, ''));
    for (const [place, lab] of found.labs.entries()) {
      assert.ok(!lab.live, lab.slug);
      assert.deepEqual(lab.pictures, expected.labs[place].pictures, lab.slug);
      // One quiet line, and all else as it was.
      const said = await page.locator(`section.lab#${lab.slug}`).getByText(QUIET).allInnerTexts();
      assert.ok(said.length <= 1, `${lab.slug}: ${said}`);
      assert.equal(words(lab.words.replace(words(said.join()), '')), expected.labs[place].words, lab.slug);
    }
    assert.equal(await page.locator('[role=alert]').count(), 0);
    assert.deepEqual(page.faults.filter((fault) => /^(exception|dialog|leaves)/.test(fault)), []);
  });
}
