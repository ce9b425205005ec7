// The smoke set in Firefox: a lab goes live, plays, steps and answers to its knobs; without JavaScript the book is there.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from './support/browser.mjs';
import { firefox, open } from './support/firefox.mjs';
import { seconds, words } from './support/lab.mjs';
import { serve } from './support/server.mjs';
import { CHAPTER, LABS, site } from './support/site.mjs';

const [SLUG] = LABS;
let host;
let started;
before(async () => { [host, started] = await Promise.all([serve(site()), firefox()]); });
after(() => Promise.all([host?.close(), started?.close()]));

/** The chapter with its first lab live. */
async function chapter(query = '') {
  const page = await open(started, `${host.url}${CHAPTER}${query}`);
  await page.$eval(`#${SLUG}`, (section) => section.scrollIntoView());
  await page.waitForSelector(`section.lab.live#${SLUG}`);
  const within = (role, name) => `#${SLUG} ::-p-aria([name="${name}"][role="${role}"])`;
  const text = (selector) => page.$eval(`#${SLUG} ${selector}`, (element) => element.innerText).then(words);
  return {
    page,
    /** A control of the lab by role and name. */
    control: (role, name) => page.waitForSelector(within(role, name)),
    caption: () => text('.caption'),
    notice: () => text('.lab-notice'),
    picture: () => page.$eval(`#${SLUG} .view svg`, (svg) => svg.outerHTML),
    running: () => page.$eval(`#${SLUG}`, (section) =>
      section.getAnimations({ subtree: true }).filter(({ playState }) => playState === 'running').length),
  };
}

test('the pages are whole: nothing fails, nothing is refused, and the run is that of the page', async () => {
  const front = await open(started, host.url);
  assert.ok((await front.title()).length > 5);
  const { page } = await chapter();
  for (const slug of LABS) {
    await page.$eval(`#${slug}`, (section) => section.scrollIntoView());
    await page.waitForSelector(`section.lab.live#${slug}`);
    const [written, live] = await page.$eval(`#${slug}`, ({ dataset }) => [dataset.digest, dataset.liveDigest]);
    assert.match(written, /^[0-9a-f]{16}$/, slug);
    assert.equal(live, written, slug);
  }
  assert.deepEqual([...front.faults, ...page.faults], []);
  await Promise.all([front.close(), page.close()]);
});

test('play, pause and steps', async () => {
  const { page, control, caption, running } = await chapter();
  assert.equal(await running(), 0);
  const opening = await caption();
  await (await control('button', 'Play')).click();
  await until('movement', async () => (await running()) > 0);
  await until('the caption to move on', async () => (await caption()) !== opening, caption);
  await (await control('button', 'Pause')).click();
  await until('a stop', async () => (await running()) === 0);

  await (await page.$(`#${SLUG} .view`)).focus();
  await page.keyboard.press('Home');
  const next = await control('button', 'Next event');
  const told = [await caption()];
  for (let step = 0; step < 3; step += 1) {
    await next.click();
    await until('the next event', async () => (await caption()) !== told.at(-1), caption);
    told.push(await caption());
  }
  await (await control('button', 'Previous event')).click();
  await until('the event before', async () => (await caption()) === told.at(-2), caption);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a slider turned by keyboard changes picture, words and address; the address opens it again', async () => {
  const { page, control, picture } = await chapter();
  const before = await picture();
  const knob = await control('slider', 'ack_wait');
  await knob.focus();
  const said = () => knob.evaluate((input) => input.getAttribute('aria-valuetext'));
  for (let press = 0; press < 40 && !/^10 s/.test(await said()); press += 1) await page.keyboard.press('ArrowRight');
  assert.match(await said(), /^10 s/);
  await until('another picture', async () => (await picture()) !== before);
  await until('the address', () => new URL(page.url()).searchParams.get('ack_wait') === '10s', () => page.url());
  assert.deepEqual(page.faults, []);

  const again = await chapter(new URL(page.url()).search);
  assert.equal(await again.picture(), await picture());
  assert.deepEqual(again.page.faults, []);
  await Promise.all([page.close(), again.page.close()]);
});

test('an address that is nonsense is answered in words', async () => {
  const { page, notice, caption } = await chapter(`?ack_wait=${encodeURIComponent('<img src=x onerror=alert(1)>')}&t=later`);
  const said = await notice();
  assert.match(said, /ack_wait.*<img/);
  assert.match(said, /later/);
  assert.ok(seconds(await caption()) > 0);
  assert.equal(await page.$(`#${SLUG} img`), null);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('where no script may run every lab has its picture, and its account opens', async (t) => {
  const still = await serve(site(), '/', { scripts: false });
  t.after(() => still.close());
  const page = await open(started, still.url + CHAPTER);
  for (const slug of LABS) {
    assert.equal(await page.$(`section.lab.live#${slug}`), null, slug);
    const heights = await page.$$eval(`#${slug} svg.scene`, (all) => all.map((svg) => svg.getBoundingClientRect().height));
    assert.equal(heights.filter((height) => height > 200).length, 1, `${slug}: one picture, ${heights}`);
    const account = await page.$(`#${slug} details.account`);
    if (!(await account.evaluate((details) => details.open))) await (await account.$('summary')).click();
    const told = words(await account.$eval('p', (p) => p.innerText));
    assert.ok(told.length > 100, `${slug}: ${told}`);
  }
  // The script was refused, and nothing else went wrong.
  assert.ok(page.faults.length > 0 && page.faults.every((fault) => /script|boot/i.test(fault)), page.faults.join('\n'));
  await page.close();
});
