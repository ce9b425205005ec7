// Words of the text that name a message or a state light it in their figure.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

const [SLUG] = LABS;

/** Opens the chapter and notes every `light` that reaches a figure. */
async function start(t, options = {}) {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER, options);
  await page.evaluate(() => {
    window.lights = [];
    for (const lab of document.querySelectorAll('section.lab')) {
      lab.addEventListener('light', ({ detail }) => window.lights.push([lab.id, detail]));
    }
  });
  t.after(() => assert.deepEqual(page.faults, []));
  const lights = async () => page.evaluate(() => window.lights.splice(0));
  return { page, lights };
}

const WORD = (page) => page.locator(`.msg[data-in="${SLUG}"][data-msg-label="order-1"]`).first();
const TERM = (page) => page.locator(`.term[data-in="${SLUG}"][data-term="again"]`).first();

test('pointing at a word lights its message, leaving it puts it out', async (t) => {
  const { page, lights } = await start(t);
  await liveLab(page, SLUG);
  await WORD(page).hover();
  await page.mouse.move(2, 2);
  await TERM(page).hover();
  await page.mouse.move(2, 2);
  assert.deepEqual(await lights(), [
    [SLUG, { msg: 'order-1' }], [SLUG, {}], [SLUG, { state: 'again' }], [SLUG, {}],
  ]);
});

test('by keyboard a word is reached, lit, kept and let go', async (t) => {
  const { page, lights } = await start(t);
  await liveLab(page, SLUG);
  const word = WORD(page);
  assert.equal(await word.getAttribute('role'), 'button');
  // Focus that the keyboard brought is seen; so go there from its neighbour.
  await page.keyboard.press('Tab');
  await word.focus();
  assert.deepEqual((await lights()).at(-1), [SLUG, { msg: 'order-1' }]);
  await page.keyboard.press('Enter');
  assert.equal(await word.getAttribute('aria-pressed'), 'true');
  await page.keyboard.press('Tab');
  assert.notDeepEqual((await lights()).at(-1), [SLUG, {}], 'what is kept stays lit');
  await word.focus();
  await page.keyboard.press('Escape');
  assert.equal(await word.getAttribute('aria-pressed'), 'false');
  assert.deepEqual((await lights()).at(-1), [SLUG, {}]);
});

test('a tap keeps a word lit and brings its figure into view', async (t) => {
  const { page, lights } = await start(t, { hasTouch: true, isMobile: true, viewport: { width: 390, height: 700 } });
  const lab = await liveLab(page, SLUG);
  const word = TERM(page);
  await word.scrollIntoViewIfNeeded();
  await word.tap();
  assert.deepEqual((await lights()).at(-1), [SLUG, { state: 'again' }]);
  assert.equal(await word.getAttribute('aria-pressed'), 'true');
  await until('the picture in view', () => lab.view().evaluate((view) => {
    const { top, bottom } = view.getBoundingClientRect();
    return bottom > 80 && top < innerHeight - 80;
  }));
  await word.tap();
  assert.deepEqual((await lights()).at(-1), [SLUG, {}]);
});

test('a word with a figure of its own lights that one', async (t) => {
  const { page, lights } = await start(t);
  for (const slug of LABS) await liveLab(page, slug);
  await lights();
  await page.locator('.msg[data-in="batch-ageing"][data-msg-label="order-6"]').last().hover();
  assert.deepEqual(await lights(), [['batch-ageing', { msg: 'order-6' }]]);
});

test('as long as a figure is not live nothing happens, and nothing claims that it would', async (t) => {
  const { page, lights } = await start(t, { before: (page) => page.route('**/*.wasm', (route) => route.abort('aborted')) });
  const word = WORD(page);
  await word.scrollIntoViewIfNeeded();
  await until('the figure to rest', () => page.locator(`#${SLUG}.still`).count());
  await word.hover();
  await word.click();
  assert.deepEqual(await lights(), []);
  assert.equal(await word.getAttribute('role'), null);
  assert.equal(await word.getAttribute('tabindex'), null);
});

test('without JavaScript the words are text', async (t) => {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER, { javaScriptEnabled: false });
  const all = page.locator('[data-in]');
  assert.ok(await all.count() >= 4);
  assert.equal(await page.locator('[data-in]:is([role], [tabindex])').count(), 0);
});
