// Without JavaScript the book is complete: prose, pictures with their descriptions, and an account of every run.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { prose } from './support/prose.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

for (const width of [390, 1280]) {
  test(`at ${width} px the chapter is complete without JavaScript`, async (t) => {
    const home = await hosted(t);
    const started = await browser(t);
    const viewport = { width, height: 900 };
    const still = await open(started, home + CHAPTER, { javaScriptEnabled: false, viewport });
    const without = await prose(still);

    assert.deepEqual(still.asked.filter((url) => /\.(wasm|m?js)$/.test(url)), [], 'JavaScript was fetched');
    assert.deepEqual(without.labs.map(({ slug }) => slug), LABS);
    assert.ok(without.seen && without.heading.length > 3 && without.text.length > 2_000, without.text);
    for (const lab of without.labs) {
      assert.ok(lab.seen && !lab.live, lab.slug);
      assert.equal(lab.pictures.length, 1, `${lab.slug}: one picture is seen`);
      const [picture] = lab.pictures;
      assert.equal(picture.role, 'img', lab.slug);
      assert.ok(picture.title.length > 10 && picture.description.length > 30, `${lab.slug}: ${JSON.stringify(picture)}`);
      assert.ok(picture.label.every((text) => text.length > 0) && picture.label.includes(picture.title), lab.slug);
      assert.ok(picture.height > 200, `${lab.slug}: ${picture.height} px high`);
    }
    // The account tells the whole run, and opens without help.
    for (const { slug } of without.labs) {
      const account = still.locator(`#${slug} details.account`);
      if (!(await account.locator('p').isVisible())) await account.locator('summary').click();
    }
    const [crash] = (await prose(still)).labs;
    for (const told of ['order-1', 'order-2', 'run 1', 'run 2', 'run 3', 'T+8']) {
      assert.ok(crash.account.toLowerCase().includes(told.toLowerCase()), `${told} is not told in: ${crash.account}`);
    }
    assert.ok(crash.words.includes(crash.account), 'the account is open to be read');

    const running = await open(started, home + CHAPTER, { viewport });
    for (const slug of LABS) await liveLab(running, slug);
    const { text, title } = await prose(running);
    assert.equal(without.text, text, 'JavaScript adds or removes prose');
    assert.equal(without.title, title);
    assert.deepEqual([...still.faults, ...running.faults], []);
  });
}
