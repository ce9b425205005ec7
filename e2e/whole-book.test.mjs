// The whole book on one page, to be printed: every chapter, every figure as it is on paper, nothing that needs a program.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './support/axe.mjs';
import { browser, open } from './support/browser.mjs';
import { hosted, site } from './support/site.mjs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const labs = async () => (await readdir(join(site(), 'embed'), { withFileTypes: true })).filter((entry) => entry.isDirectory()).map(({ name }) => name);

for (const javaScriptEnabled of [true, false]) {
  test(`it is whole ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async (t) => {
    const home = await hosted(t);
    const page = await open(await browser(t), `${home}print/`, { javaScriptEnabled });
    const chapters = await page.locator('.book .chapters [data-chapter]').evaluateAll((all) => all.map(({ dataset }) => dataset.chapter));
    const there = await page.locator('main > .chapter').evaluateAll((all) => all.map(({ id }) => id));
    assert.deepEqual(there, chapters);
    const figures = await page.locator('main figure.paper-lab').evaluateAll((all) => all.map((figure) => ({
      id: figure.id.split('--')[1], seen: [...figure.querySelectorAll('svg.scene')].filter((svg) => svg.getClientRects().length).length, told: figure.querySelector('.told').textContent.length,
    })));
    assert.deepEqual(figures.map(({ id }) => id).sort(), (await labs()).sort());
    for (const { id, seen, told } of figures) assert.ok(seen >= 1 && told > 40, id);
    assert.equal(await page.locator('main :is(input:not(.tab *, .chooser *), select, textarea, [data-lab])').count(), 0);
    const lost = await page.evaluate(() => [...document.querySelectorAll('main a[href^="#"]')].filter(({ hash }) => !document.getElementById(decodeURIComponent(hash.slice(1)))).map(({ outerHTML }) => outerHTML));
    assert.deepEqual(lost, []);
    assert.deepEqual(page.asked.filter((url) => /wasm|delivery-lab-.*js/.test(url)), []);
    assert.deepEqual(page.faults, []);
  });
}

test('on paper every chapter begins a sheet, links say where they lead, and it is linked from the contents', async (t) => {
  const home = await hosted(t);
  const page = await open(await browser(t), home, { viewport: { width: 1280, height: 900 } });
  await page.locator('.book').getByRole('link', { name: 'The whole book, to print' }).click();
  await page.waitForURL(`${home}print/`);
  assert.deepEqual(await violations(page, 'main'), []);
  await page.evaluate(() => { window.print = () => { document.title = 'printed'; }; });
  await page.getByRole('button', { name: 'Print' }).click();
  assert.equal(await page.title(), 'printed');
  await page.emulateMedia({ media: 'print' });
  const shown = await page.locator('.skip, .top, .book, .foot a, .to-paper').evaluateAll((all) => all.filter((element) => element.getClientRects().length && element.closest('.top, .book, .skip, .to-paper')).length);
  assert.equal(shown, 0);
  const breaks = await page.locator('main > .chapter').evaluateAll((all) => all.every((one) => getComputedStyle(one).breakBefore === 'page'));
  assert.ok(breaks);
  const link = page.locator('main > p a[href^="http"]').first();
  if (await link.count()) assert.match(await link.evaluate((a) => getComputedStyle(a, '::after').content), /attr|\(http|http/);
  const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
  assert.ok((pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0) >= await page.locator('main > .chapter').count());
});
