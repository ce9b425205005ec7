// `cargo xtask size` weighs exactly what a browser asks for.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { browser, open } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { CHAPTER, LABS, PROJECT, hosted, site } from './support/site.mjs';

test('a chapter with all its labs live has asked for the files of the table, and no others', async (t) => {
  const table = execFileSync('cargo', ['xtask', 'size', '--dist', site()], { cwd: PROJECT, encoding: 'utf8' });
  const lines = table.split('\n').map((line) => /^ *\d+ +\d+ {2}(\S+)( \*)?$/.exec(line)).filter(Boolean);
  const listed = lines.map(([, path]) => path);
  const toRead = lines.filter(([, , star]) => star).map(([, path]) => path);

  const home = await hosted(t);
  const page = await open(await browser(t), home + CHAPTER);
  for (const slug of LABS) await liveLab(page, slug);
  const asked = page.asked.filter((url) => !url.startsWith('data:'))
    .map((url) => url.slice(home.length)).map((path) => (path === CHAPTER ? `${path}index.html` : path));

  assert.equal(new Set(asked).size, asked.length, `asked twice: ${asked}`);
  assert.deepEqual(asked.filter((path) => !listed.includes(path)), [], 'asked for, and not in the table');
  const idle = listed.filter((path) => !asked.includes(path) && !/icon|manifest/.test(path));
  assert.deepEqual(idle, [], 'in the table, and not asked for');
  assert.ok(asked.length <= 12, `${asked.length} requests`);
  assert.deepEqual(page.faults, []);

  // Before a lab comes near, nothing but what reading needs was asked for.
  const top = await open(await browser(t), home + CHAPTER, { viewport: { width: 1280, height: 40 } });
  await top.waitForLoadState('networkidle');
  const early = top.asked.filter((url) => /\.wasm$/.test(url));
  const labIsNear = await top.locator('section.lab').first().evaluate((lab) => lab.getBoundingClientRect().top < 1200);
  if (!labIsNear) assert.deepEqual(early, [], 'Wasm was fetched though no lab is near');
  assert.ok(toRead.length >= 2 && toRead.includes(`${CHAPTER}index.html`), table);
});
