// `cargo xtask size` weighs exactly what a browser asks for.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { browser, open } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { CHAPTER, LABS, PROJECT, hosted, site } from './support/site.mjs';

// Whether they are light enough is said by the task itself.
const { stdout: tables } = spawnSync('cargo', ['xtask', 'size', '--dist', site()], { cwd: PROJECT, encoding: 'utf8' });

for (const [name, place, labs] of [
  ['a chapter with all its labs live', CHAPTER, LABS],
  ['an embed', `embed/${LABS[0]}/`, [LABS[0]]],
]) {
  test(`${name} has asked for the files of its table, and no others`, async (t) => {
    const table = tables.split('\n\n').find((one) => one.includes(` ${place}index.html`)) ?? assert.fail(tables);
    const lines = table.split('\n').map((line) => /^ *\d+ +\d+ {2}(\S+)( \*)?$/.exec(line)).filter(Boolean);
    const listed = lines.map(([, path]) => path);
    const toRead = lines.filter(([, , star]) => star).map(([, path]) => path);

    const home = await hosted(t);
    const page = await open(await browser(t), home + place);
    for (const slug of labs) await liveLab(page, slug);
    const asked = page.asked.filter((url) => !url.startsWith('data:'))
      .map((url) => url.slice(home.length)).map((path) => (path === place ? `${path}index.html` : path));

    assert.equal(new Set(asked).size, asked.length, `asked twice: ${asked}`);
    assert.deepEqual(asked.filter((path) => !listed.includes(path)), [], 'asked for, and not in the table');
    const idle = listed.filter((path) => !asked.includes(path) && !/icon|manifest/.test(path));
    assert.deepEqual(idle, [], 'in the table, and not asked for');
    assert.ok(asked.length <= 12, `${asked.length} requests`);
    assert.deepEqual(page.faults, []);

    assert.ok(toRead.length >= 2 && toRead.includes(`${place}index.html`), table);
  });
}

test('before a lab comes near, a page has asked for what reading needs and no more', async (t) => {
  const home = await hosted(t);
  // So narrow and low that the first lab is far below.
  const page = await open(await browser(t), home + CHAPTER, { viewport: { width: 320, height: 40 } });
  await page.waitForLoadState('networkidle');
  const first = page.locator('section.lab').first();
  assert.ok((await first.evaluate((lab) => lab.getBoundingClientRect().top)) > 1_000, 'the first lab is far');
  assert.deepEqual(page.asked.filter((url) => /\.wasm$|delivery-lab[^/]*\.js$/.test(url)), []);
  assert.equal(await page.locator('section.lab.live').count(), 0);
  await first.evaluate((lab) => lab.scrollIntoView());
  await liveLab(page, LABS[0]);
  assert.deepEqual(page.faults, []);
});
