// What is looked up: symptoms and settings lead to a figure that is set to show them, and to the chapter that explains them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { hosted } from './support/site.mjs';

for (const path of ['symptoms/', 'settings/']) {
  test(`${path} is in the contents, and its figures open as they are set`, async (t) => {
    const home = await hosted(t);
    const started = await browser(t);
    const page = await open(started, home);
    await page.getByRole('navigation', { name: 'Chapters' }).locator(`a[href$="${path}"]`).filter({ visible: true }).click();
    await page.waitForURL(`${home}${path}`);
    const links = await page.locator('main a.result').evaluateAll((all) => all.map(({ href }) => href));
    assert.ok(links.length >= 2, path);
    // One that turns a knob, if there is one.
    const set = links.find((link) => new URL(link).search.length > 1) ?? links[0];
    const slug = new URL(set).hash.slice(1);
    const chapter = await open(started, set);
    const lab = await liveLab(chapter, slug);
    assert.deepEqual(await lab.notices(), [], set);
    assert.deepEqual([...page.faults, ...chapter.faults], []);
  });
}

test('an entry has an address of its own', async (t) => {
  const home = await hosted(t);
  const page = await open(await browser(t), `${home}settings/#ack_wait`);
  const heading = page.locator('#ack_wait');
  assert.match(await heading.innerText(), /^ack_wait/);
  const { y } = await heading.boundingBox();
  assert.ok(y >= 0 && y < 900, `${y}`);
});
