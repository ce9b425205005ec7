// A lab that is added by a TOML file and one line in a chapter is a lab like any other: live, answering, accessible.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { violations } from './support/axe.mjs';
import { MANY, many, siteWith } from './support/book.mjs';
import { browser, open, until } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

let site;
before(async () => { site = await siteWith(await many()); });
after(() => site?.close());

test('its default run is that of the page, and a turned knob gives another', async (t) => {
  const page = await open(await browser(t), (await hosted(t, site.folder)) + CHAPTER);
  const labs = await page.locator('section.lab').evaluateAll((sections) => sections.map(({ id }) => id));
  assert.deepEqual(labs, [...LABS, MANY]);
  const lab = await liveLab(page, MANY);
  const { digest, liveDigest } = await lab.section.evaluate(({ dataset }) => ({ ...dataset }));
  assert.match(digest, /^[0-9a-f]{16}$/);
  assert.equal(liveDigest, digest, 'as it ran when the page was written');

  const before = await lab.state();
  const drawn = () => lab.picture().evaluate((svg) => svg.innerHTML);
  const picture = await drawn();
  await lab.turn('work per order', /^40 m/);
  await until('another picture', async () => (await drawn()) !== picture);
  assert.notDeepEqual((await lab.state()).knobs, before.knobs);
  await until('the address', () => new URL(page.url()).searchParams.get(`${MANY}.work`) === '40ms', () => page.url());

  // Two thousand orders have more than two thousand events, and each step is one.
  await lab.button('Next event').click();
  await lab.settled();
  const [said, next] = [await lab.caption(), lab.button('Next event')];
  await next.click();
  await lab.settled();
  assert.notEqual(await lab.caption(), said);
  await lab.button('Play').click();
  await until('movement', () => lab.section.evaluate((section) =>
    section.getAnimations({ subtree: true }).some(({ playState }) => playState === 'running')));
  await lab.button('Pause').click();
  assert.deepEqual(page.faults, []);
});

test('its settings travel in a link beside those of the labs before it', async (t) => {
  const home = await hosted(t, site.folder);
  const page = await open(await browser(t), `${home}${CHAPTER}?ack_wait=10s&${MANY}.batch=50&${MANY}.t=3s`);
  const [first, many] = [await liveLab(page, LABS[0]), await liveLab(page, MANY)];
  assert.match(await first.knob('ack_wait').getAttribute('aria-valuetext'), /^10 s/);
  assert.match(await many.knob('orders per fetch').getAttribute('aria-valuetext'), /^50/);
  assert.ok((await many.moment()) <= 3);
  assert.deepEqual([...(await first.notices()), ...(await many.notices())], []);
  assert.deepEqual(page.faults, []);
});

test('without JavaScript it has its picture and its account', async (t) => {
  const page = await open(await browser(t), (await hosted(t, site.folder)) + CHAPTER, { javaScriptEnabled: false });
  const lab = page.locator(`section.lab#${MANY}`);
  assert.equal(await lab.locator('svg.scene:visible').count(), 1);
  const account = lab.locator('details.account');
  if (!(await account.locator('p').isVisible())) await account.locator('summary').click();
  assert.ok((await account.locator('p').innerText()).length > 100);
});

for (const colorScheme of ['light', 'dark']) {
  test(`no accessibility rule is broken by it, ${colorScheme}`, async (t) => {
    const page = await open(await browser(t), (await hosted(t, site.folder)) + CHAPTER, { colorScheme });
    await liveLab(page, MANY);
    assert.deepEqual(await violations(page, `#${MANY}`), []);
  });
}
