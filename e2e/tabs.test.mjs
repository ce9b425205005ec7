// Code in the reader's own language: chosen once, by pointer or key, it holds in all places and on all pages; without a script and on
// paper nothing of it is missing. And code can be copied.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { chaptersWith, hosted } from './support/site.mjs';

const CLIENTS = ['Go', 'Python', 'Rust', 'JavaScript', 'Java', '.NET', 'CLI'];
// Not those of the chooser, out of sight until a way is chosen, and not the book for paper, which shows all.
const PAGES = chaptersWith('class="tabs"').filter((path) => !['choosing/', 'print/'].includes(path));
const permissions = ['clipboard-read', 'clipboard-write'];

/** In each place: the client that is chosen, and those whose code is seen. */
const places = (page) => page.locator('.tabs').evaluateAll((all) => all.map((tabs) => ({
  chosen: tabs.querySelector(':checked')?.parentElement.textContent,
  seen: [...tabs.querySelectorAll('.panel')]
    .filter((panel) => panel.checkVisibility())
    .map((panel) => panel.previousElementSibling.textContent),
})));

const only = (client) => (place) => place.chosen === client && place.seen.join() === client;

test('a choice holds in every place, on every page, and by key', async (t) => {
  const home = await hosted(t);
  const page = await open(await browser(t), home + PAGES[0]);
  assert.ok((await places(page)).every(only('Go')), 'the first is shown first');
  assert.deepEqual(await page.locator('.tabs').first().getByRole('radio').evaluateAll((all) => all.map((one) => one.labels[0].textContent)), CLIENTS);

  const tab = (name) => page.locator('.tabs').last().getByRole('radio', { name, exact: true });
  await tab('Java').scrollIntoViewIfNeeded();
  const before = await tab('Java').boundingBox();
  await tab('Java').click();
  assert.ok((await places(page)).every(only('Java')), JSON.stringify(await places(page)));
  const after = await tab('Java').boundingBox();
  assert.ok(Math.abs(before.y - after.y) < 2, `what was chosen stays where it is: ${before.y}, ${after.y}`);
  await page.keyboard.press('ArrowRight');
  assert.ok((await places(page)).every(only('.NET')), 'an arrow goes to the next');
  assert.ok(await tab('.NET').evaluate((input) => input === document.activeElement));

  for (const path of PAGES) {
    await page.goto(home + path);
    assert.ok((await places(page)).every(only('.NET')), path);
  }
  assert.deepEqual(page.faults, []);
});

test('without a script each place has its own choice, and all code is on the page', async (t) => {
  const page = await open(await browser(t), (await hosted(t)) + PAGES[0], { javaScriptEnabled: false });
  const tabs = page.locator('.tabs').first();
  await tabs.getByRole('radio', { name: 'Python', exact: true }).check();
  const [first, ...others] = await places(page);
  assert.ok(only('Python')(first) && others.every(only('Go')));
  assert.equal(await tabs.locator('.panel').evaluateAll((all) => all.filter((panel) => panel.textContent.trim()).length), CLIENTS.length);
});

test('on paper every client has its name and its code', async (t) => {
  const page = await open(await browser(t), (await hosted(t)) + PAGES[0]);
  await page.emulateMedia({ media: 'print' });
  for (const place of await places(page)) assert.deepEqual(place.seen, CLIENTS);
  assert.ok(await page.locator('.tabs .tab').evaluateAll((all) => all.every((tab) => tab.checkVisibility())));
  assert.equal(await page.locator('.code button').filter({ visible: true }).count(), 0);
});

test('code is copied as it stands, of a console what is typed', async (t) => {
  const page = await open(await browser(t), (await hosted(t)) + PAGES[0], { permissions });
  await page.bringToFront();
  const code = page.locator('.code').filter({ visible: true }).first();
  const copied = async () => {
    await page.evaluate(() => navigator.clipboard.writeText(''));
    await code.getByRole('button', { name: 'Copy this code' }).click();
    return until('something in the clipboard', () => page.evaluate(() => navigator.clipboard.readText()));
  };
  assert.equal(await copied(), await code.locator('code').evaluate((one) => one.textContent));
  await until('a word that it is done', () => page.getByText('Code copied.', { exact: true }).count());
  await code.locator('code').evaluate((one) => {
    one.className = 'language-console';
    one.textContent = '$ nats a \\\n  --b\nsaid\n$ nats c\nsaid\n';
  });
  assert.equal(await copied(), 'nats a \\\n  --b\nnats c\n');
  assert.deepEqual(page.faults, []);
});

test('where the clipboard is closed the code is selected', async (t) => {
  const page = await open(await browser(t), (await hosted(t)) + PAGES[0], {
    before: (one) => one.addInitScript(() => { Object.defineProperty(navigator, 'clipboard', { value: undefined }); }),
  });
  const code = page.locator('.code').filter({ visible: true }).first();
  await code.getByRole('button').click();
  const text = await code.locator('code').evaluate((one) => one.textContent);
  assert.equal((await page.evaluate(() => getSelection().toString())).trim(), text.trim());
});
