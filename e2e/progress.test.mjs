// What was read is remembered here and nowhere else; the contents show it, and where on the page the reader is.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { CHAPTER, hosted } from './support/site.mjs';

const SLUG = CHAPTER.replace('/', '');
const entry = (page, slug = SLUG) => page.locator(`.book [data-chapter="${slug}"]`);
const current = (page) => page.locator('.book [aria-current=location]').allInnerTexts();
const kept = (page) => page.evaluate(() => JSON.parse(localStorage.getItem('delivery-lab.read')));

test('a chapter whose end was reached is read, on every page and after a reload', async (t) => {
  const home = await hosted(t);
  const page = await open(await browser(t), home + CHAPTER);
  assert.equal(await entry(page).getAttribute('data-read'), null);
  assert.ok(!(await page.locator('.book .how-far').isVisible()));
  await page.locator('.turn').scrollIntoViewIfNeeded();
  await until('the mark', async () => (await entry(page).getAttribute('data-read')) !== null);
  assert.deepEqual(await kept(page), [SLUG]);
  assert.match(await page.locator('.book .how-far').innerText(), /^1 of \d+ chapters read$/);
  // It is said, not only shown.
  assert.match(await entry(page).locator('> a').evaluate((link) => link.textContent), /, read$/);
  await page.goto(home);
  assert.equal(await page.locator(`.toc [data-chapter="${SLUG}"][data-read]`).count(), 1);
  // From here one goes on with the chapter after it.
  const next = await page.locator('.front .start').getByRole('link', { name: /^Go on with/ }).getAttribute('href');
  assert.notEqual(next, null);
  await page.locator('.front .start').getByRole('link', { name: /^Go on with/ }).click();
  await page.waitForURL((url) => url.href !== home);
  assert.notEqual(new URL(page.url()).pathname, `/${CHAPTER}`);
  assert.deepEqual(page.faults, []);
});

test('a page that was only opened is not read, and what is kept there may be anything', async (t) => {
  const home = await hosted(t);
  const started = await browser(t);
  const page = await open(started, home + CHAPTER);
  await page.waitForLoadState('networkidle');
  assert.equal(await kept(page), null);
  for (const odd of ['{}', '"x"', '[1,null,"nowhere"]', 'x', '']) {
    await page.evaluate((text) => localStorage.setItem('delivery-lab.read', text), odd);
    await page.reload();
    assert.equal(await page.locator('[data-read]').count(), 0, odd);
  }
  assert.deepEqual(page.faults, []);
});

test('the section that is read is the current one in the list, and the line beside it tells how far', async (t) => {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER);
  assert.deepEqual(await current(page), []);
  const line = () => page.evaluate(() => Number(document.documentElement.style.getPropertyValue('--read')));
  const before = await line();
  const headings = await page.locator('main h2[id]').evaluateAll((all) => all.map(({ id }) => id));
  const links = await page.locator('.book ol ol a').evaluateAll((all) => all.map((link) => link.hash.slice(1)));
  assert.deepEqual(links, headings.filter((id) => links.includes(id)), 'in the order of the page');
  for (const id of links.slice(0, 3)) {
    await page.locator(`.book ol ol a[href="#${id}"]`).click();
    const words = await page.locator(`.book ol ol a[href="#${id}"]`).innerText();
    await until(`${id} to be current`, async () => (await current(page)).join() === words, async () => (await current(page)).join());
  }
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  const last = await page.locator('.book ol ol a').last().innerText();
  await until('the last section', async () => (await current(page)).join() === last);
  await until('the line to be full', async () => (await line()) > 0.95);
  assert.ok(before < 0.5);
  assert.deepEqual(page.faults, []);
});

test('the open chapter is seen in the list, however long that is; on the phone it is in the menu', async (t) => {
  const home = await hosted(t);
  const started = await browser(t);
  const low = await open(started, home + CHAPTER, { viewport: { width: 1280, height: 420 } });
  const box = await entry(low).locator('> a').boundingBox();
  assert.ok(box.y >= 0 && box.y + box.height <= 420, JSON.stringify(box));
  const phone = await open(started, home + CHAPTER, { viewport: { width: 390, height: 700 } });
  assert.ok(!(await phone.locator('.top .chapters').isVisible()));
  await phone.getByText('Contents', { exact: true }).click();
  assert.ok(await phone.locator('.top .chapters [aria-current=page]').isVisible());
  assert.deepEqual(phone.faults, []);
});
