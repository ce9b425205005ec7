// A term is explained where it stands: pointed at, with the focus, by a touch. Without a script it leads to the glossary.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { CHAPTER, hosted } from './support/site.mjs';

const start = async (t, options) => {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER, options);
  t.after(() => assert.deepEqual(page.faults, []));
  const word = page.locator('main a.def').first();
  const meaning = page.getByRole('tooltip');
  return { page, word, meaning };
};

const gone = (meaning) => until('the explanation to go', async () => !(await meaning.count()));

test('pointed at it is explained, the pointer may go there, and Escape ends it', async (t) => {
  const { page, word, meaning } = await start(t);
  assert.equal(await meaning.count(), 0);
  await word.hover();
  await meaning.waitFor();
  const text = await meaning.innerText();
  assert.ok(text.length > 20, text);
  const { x, y, width, height } = await meaning.boundingBox();
  assert.ok(x >= 0 && y >= 0 && x + width <= 1280 && y + height <= 900, 'all of it is in sight');
  await page.mouse.move(x + width / 2, y + height / 2, { steps: 8 });
  await page.waitForTimeout(400);
  assert.equal(await meaning.innerText(), text, 'it stays while it is pointed at');
  await page.keyboard.press('Escape');
  await gone(meaning);
  await page.mouse.move(2, 2);
  await word.hover();
  await meaning.waitFor();
  await page.mouse.move(2, 2);
  await gone(meaning);
});

test('with the focus it is explained, for whoever listens as well', async (t) => {
  const { page, word, meaning } = await start(t);
  await page.keyboard.press('Tab');
  await word.focus();
  await meaning.waitFor();
  assert.equal(await word.getAttribute('aria-describedby'), await meaning.getAttribute('id'));
  await page.keyboard.press('Escape');
  await gone(meaning);
  assert.ok(await word.evaluate((link) => link === document.activeElement), 'the focus stays');
  assert.equal(await word.getAttribute('aria-describedby'), null);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/glossary\/#[a-z-]+$/);
});

test('a touch explains it, the next follows it', async (t) => {
  const { page, word, meaning } = await start(t, { hasTouch: true, isMobile: true, viewport: { width: 390, height: 700 } });
  const address = page.url();
  await word.scrollIntoViewIfNeeded();
  await word.tap();
  await meaning.waitFor();
  const { x, width } = await meaning.boundingBox();
  assert.ok(x >= 0 && x + width <= 390);
  assert.equal(page.url(), address);
  await page.touchscreen.tap(4, 400);
  await gone(meaning);
  await word.tap();
  await meaning.waitFor();
  await word.tap();
  await page.waitForURL(/\/glossary\/#[a-z-]+$/);
});

test('without a script it leads to its entry', async (t) => {
  const { page, word } = await start(t, { javaScriptEnabled: false });
  const name = await word.getAttribute('data-def');
  await word.click();
  await page.waitForURL(new RegExp(`/glossary/#${name}$`));
  assert.ok((await page.locator(`#${name} dd`).innerText()).length > 20);
});
