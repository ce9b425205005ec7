// Light or dark: as the system, unless the reader chose otherwise; remembered, before anything is painted, and the figures follow.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './support/axe.mjs';
import { browser, open, until } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

const LIGHT = 'rgb(251, 250, 246)';
const DARK = 'rgb(22, 23, 26)';

const paper = (page) => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
const choice = (page, name) => page.locator('.book').getByRole('group', { name: 'Colours' }).getByRole('radio', { name });
const checked = (page) => page.locator('.book .scheme :checked').evaluate((input) => input.value);
/** Which of the colours for the bar around the page is in force. */
const bar = (page) => page.evaluate(() => [...document.querySelectorAll('meta[name="theme-color"]')]
  .filter(({ media }) => matchMedia(media).matches).map(({ content }) => content));

test('a choice holds on every page and after a reload, and can be taken back', async (t) => {
  const home = await hosted(t);
  const page = await open(await browser(t), home + CHAPTER, { colorScheme: 'light' });
  assert.deepEqual([await paper(page), await checked(page), await bar(page)], [LIGHT, '', ['#fbfaf6']]);
  await choice(page, 'Dark').focus();
  await page.keyboard.press('Space');
  assert.deepEqual([await paper(page), await bar(page)], [DARK, ['#16171a']]);
  for (const path of ['', 'nowhere', 'print/', 'embed/', CHAPTER]) {
    await page.goto(home + path);
    assert.equal(await paper(page), DARK, `/${path}`);
  }
  assert.equal(await checked(page), 'dark');
  // The arrow goes to the choice before: light, and so on.
  await choice(page, 'Dark').press('ArrowUp');
  assert.equal(await paper(page), LIGHT);
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.equal(await paper(page), LIGHT, 'light was chosen');
  await choice(page, 'As the system').check();
  assert.equal(await paper(page), DARK);
  await page.emulateMedia({ colorScheme: 'light' });
  assert.equal(await paper(page), LIGHT);
  await page.reload();
  assert.deepEqual([await paper(page), await checked(page)], [LIGHT, '']);
  assert.deepEqual(page.faults.filter((fault) => !fault.includes('nowhere')), []);
});

test('nothing is painted in the wrong colours: the choice is made before the style sheet is asked for', async (t) => {
  const home = await hosted(t);
  const page = await open(await browser(t), home + CHAPTER, { colorScheme: 'light' });
  await choice(page, 'Dark').check();
  // The style sheet is slow; whatever is there before it is dark as well.
  await page.route('**/style-*.css', async (route) => {
    const scheme = await page.evaluate(() => [document.documentElement.dataset.scheme, document.querySelector('meta[name="color-scheme"]').content]);
    seen.push(scheme);
    await route.continue();
  });
  const seen = [];
  await page.goto(home, { waitUntil: 'load' });
  assert.deepEqual(seen, [['dark', 'dark']]);
  const scripts = await page.evaluate(() => [...document.head.querySelectorAll('script:not([type=module]), link[rel=stylesheet]')].map(({ localName }) => localName));
  assert.deepEqual(scripts, ['script', 'link']);
});

test('figures follow, those that are live too, and every page that is open', async (t) => {
  const home = await hosted(t);
  const page = await open(await browser(t), home + CHAPTER, { colorScheme: 'light' });
  const lab = await liveLab(page, LABS[0]);
  const ink = () => lab.picture().locator('text').first().evaluate((text) => getComputedStyle(text).fill);
  const before = await ink();
  const other = await page.context().newPage();
  await other.goto(home);
  await choice(other, 'Dark').check();
  await until('the other page to follow', async () => (await paper(page)) === DARK);
  assert.notEqual(await ink(), before);
  assert.equal(await checked(page), 'dark');
  assert.deepEqual(await violations(page, '.book'), []);
  // Paper stays light.
  await page.emulateMedia({ media: 'print' });
  assert.equal(await paper(page), 'rgb(255, 255, 255)');
});

test('an address may ask for a scheme; what is chosen later rules', async (t) => {
  const home = await hosted(t);
  const page = await open(await browser(t), `${home}${CHAPTER}?theme=dark&ack_wait=8s`, { colorScheme: 'light' });
  assert.deepEqual([await paper(page), await checked(page)], [DARK, 'dark']);
  assert.equal(await page.evaluate(() => localStorage.length), 0, 'it is not the reader’s own choice');
  await choice(page, 'Light').check();
  assert.equal(await paper(page), LIGHT);
  assert.equal(new URL(page.url()).search, '?ack_wait=8s');
  const odd = await open(page.context().browser(), `${home}?theme=%3Cb%3E`, { colorScheme: 'light' });
  assert.equal(await paper(odd), LIGHT);
});

test('on the phone it is in the contents; without JavaScript it is not there, and with closed storage it lasts as long as the page', async (t) => {
  const home = await hosted(t);
  const started = await browser(t);
  const phone = await open(started, home, { viewport: { width: 390, height: 800 }, colorScheme: 'light' });
  await phone.getByText('Contents', { exact: true }).click();
  await phone.locator('.top').getByRole('radio', { name: 'Dark' }).check();
  assert.equal(await paper(phone), DARK);
  const still = await open(started, home, { javaScriptEnabled: false, colorScheme: 'dark' });
  assert.equal(await still.locator('.scheme:visible, .seek:visible').count(), 0);
  assert.equal(await paper(still), DARK);
  const shut = await open(started, home, {
    colorScheme: 'light',
    before: (page) => page.addInitScript(() => Object.defineProperty(globalThis, 'localStorage', { get() { throw new Error('closed'); } })),
  });
  await choice(shut, 'Dark').check();
  assert.equal(await paper(shut), DARK);
  assert.deepEqual(shut.faults, []);
});
