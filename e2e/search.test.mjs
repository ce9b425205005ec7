// The search: by the keyboard alone, with slips forgiven, to the very section.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './support/axe.mjs';
import { browser, open, until } from './support/browser.mjs';
import { CHAPTER, hosted, site, siteX } from './support/site.mjs';

const dialog = (page) => page.getByRole('dialog', { name: 'Search' });
const field = (page) => dialog(page).getByRole('combobox', { name: 'Search' });
const options = (page) => dialog(page).getByRole('option');
const said = (page) => dialog(page).getByRole('status').innerText();
const active = (page) => options(page).and(page.locator('[aria-selected=true]'));

async function ask(page, question) {
  await field(page).fill(question);
  await until(`an answer to ${question}`, async () => /result|Nothing/.test(await said(page)));
}

for (const [name, folder, prefix] of [['the site at /', site, '/'], ['the site built for /x/', siteX, '/x/']]) {
  test(`${name}: from the slash to the section, by keys alone`, async (t) => {
    const home = await hosted(t, folder(), prefix);
    const page = await open(await browser(t), home);
    assert.deepEqual(page.asked.filter((url) => /find-/.test(url)), [], 'nothing of it is fetched before it is wanted');
    await page.keyboard.press('/');
    await until('the search', () => field(page).evaluate((input) => input === document.activeElement));
    assert.equal(await field(page).inputValue(), '', 'the key itself is not typed');
    await page.keyboard.type('counter that does not');
    await until('results', async () => (await options(page).count()) > 0);
    const first = active(page);
    assert.match(await first.innerText(), /The counter that does not count/);
    assert.equal(await field(page).getAttribute('aria-activedescendant'), await first.getAttribute('id'));
    assert.equal(await field(page).getAttribute('aria-expanded'), 'true');
    // The words that matched are marked, in the heading too.
    assert.ok((await first.locator('mark').allInnerTexts()).includes('counter'));
    await page.keyboard.press('Enter');
    await page.waitForURL(`${home}${CHAPTER}#the-counter-that-does-not-count`);
    const top = await page.locator('#the-counter-that-does-not-count').evaluate((heading) => heading.getBoundingClientRect().top);
    assert.ok(top >= 0 && top < 200, `the heading is at ${top}`);
    assert.deepEqual(page.faults, []);
  });
}

test('arrows go round the results, Escape closes and gives the focus back', async (t) => {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER);
  const button = page.locator('.book').getByRole('button', { name: 'Search' });
  await button.focus();
  await page.keyboard.press('Enter');
  await ask(page, 'stopwatch');
  const n = await options(page).count();
  assert.ok(n >= 2, `${n} results`);
  const ids = [];
  for (let i = 0; i < n; i += 1) {
    ids.push(await active(page).getAttribute('id'));
    await page.keyboard.press('ArrowDown');
  }
  assert.equal(new Set(ids).size, n);
  assert.equal(await active(page).getAttribute('id'), ids[0], 'after the last comes the first');
  await page.keyboard.press('ArrowUp');
  assert.equal(await active(page).getAttribute('id'), ids.at(-1));
  assert.deepEqual(await violations(page, 'dialog'), []);
  await page.keyboard.press('Escape');
  assert.equal(await dialog(page).count(), 0);
  assert.ok(await button.evaluate((element) => element === document.activeElement));
  // What was asked stands there again, to be typed over.
  await page.keyboard.press('/');
  assert.equal(await field(page).inputValue(), 'stopwatch');
  // A result on this page closes the search and goes there.
  await ask(page, 'counter that does not count');
  await page.keyboard.press('Enter');
  await until('the search to close', async () => !(await dialog(page).count()));
  assert.match(page.url(), /#the-counter-that-does-not-count$/);
  assert.deepEqual(page.faults, []);
});

test('beginnings, slips, settings in every spelling; and what is not there is said', async (t) => {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER);
  await page.keyboard.press('/');
  const heads = async (question) => {
    await ask(page, question);
    return (await options(page).allInnerTexts()).join('\n');
  };
  for (const question of ['stopw', 'stopwacth', 'stpwatch']) assert.match(await heads(question), /One stopwatch for each delivery/, question);
  for (const question of ['ack_wait', 'ack wait', 'ackwait', 'AckWait', 'ack_wiat']) assert.match(await heads(question), /ack_wait/, question);
  assert.match(await heads('What is a worker that dies'), /A worker that dies halfway through/, 'figures are found by their titles');
  for (const question of ['xyzzyx', '<xyzzyx>', '"', '%']) {
    await ask(page, question);
    assert.equal(await options(page).count(), 0, question);
    assert.equal(await said(page), `Nothing in the book has “${question}”.`);
    assert.equal(await field(page).getAttribute('aria-expanded'), 'false');
  }
  await page.keyboard.press('Enter');
  assert.ok(await dialog(page).isVisible(), 'nothing to go to');
  await field(page).fill('');
  await until('the hint', async () => /are searched/.test(await said(page)));
  assert.deepEqual(page.faults, []);
});

test('a slash in a field is a slash', async (t) => {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER);
  await page.evaluate(() => document.querySelector('main').insertAdjacentHTML('afterbegin', '<input id="own" aria-label="own">'));
  await page.locator('#own').focus();
  await page.keyboard.press('/');
  assert.equal(await page.locator('#own').inputValue(), '/');
  assert.equal(await dialog(page).count(), 0);
});

test('an index that does not come is said, and tried again', async (t) => {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER);
  let closed = true;
  await page.route('**/find-*.txt', (route) => (closed ? route.abort() : route.continue()));
  await page.keyboard.press('/');
  await until('the sentence', async () => /did not load/.test(await said(page)));
  closed = false;
  await ask(page, 'stopwatch');
  assert.ok((await options(page).count()) > 0);
});

test('on the phone it fills the screen, and its button is a target of 44 px', async (t) => {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER, { viewport: { width: 390, height: 700 }, hasTouch: true });
  const button = page.locator('.top').getByRole('button', { name: 'Search' });
  const { width, height } = await button.boundingBox();
  assert.ok(width >= 44 && height >= 44, `${width} × ${height}`);
  await button.tap();
  await ask(page, 'ack');
  const box = await dialog(page).boundingBox();
  assert.ok(box.width >= 388 && box.height >= 690, JSON.stringify(box));
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await dialog(page).getByRole('button', { name: 'Close' }).tap();
  assert.equal(await dialog(page).count(), 0);
});
