// A copied link opens what its sender saw.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

/** The link that the button copies. */
async function copied(page, lab) {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.bringToFront();
  await lab.button('Copy link').click();
  return until('a link in the clipboard', () => page.evaluate(() => navigator.clipboard.readText()));
}

test('settings and moment of every lab travel in the link', async (t) => {
  const started = await browser(t);
  const home = await hosted(t);
  for (const slug of LABS) {
    const page = await open(started, home + CHAPTER);
    const lab = await liveLab(page, slug);
    const untouched = await lab.state();
    for (const knob of await lab.knobs().all()) {
      await knob.focus();
      await page.keyboard.press('ArrowLeft');
      await lab.settled();
      // What the server would refuse is not sent.
      if (await lab.refused()) await page.keyboard.press('ArrowRight');
      await lab.settled();
    }
    await lab.button('Next event').click();
    await lab.button('Next event').click();
    await lab.settled();
    const sent = await lab.state();
    assert.notDeepEqual(sent, untouched, slug);

    const link = await copied(page, lab);
    assert.ok(link.startsWith(home + CHAPTER), link);
    const other = await open(started, link);
    const received = await liveLab(other, slug);
    assert.deepEqual(await received.state(), sent, `${slug}: ${link}`);
    assert.deepEqual(await received.notices(), [], link);
    assert.deepEqual([...page.faults, ...other.faults], []);
    await page.context().close();
    await other.context().close();
  }
});

test('two labs of a page keep their settings apart, and reset takes back its own alone', async (t) => {
  const started = await browser(t);
  const home = await hosted(t);
  const page = await open(started, home + CHAPTER);
  const [first, second] = [await liveLab(page, LABS[0]), await liveLab(page, LABS[1])];
  const opening = await first.state();
  await first.turn('ack_wait', /^10 s/);
  const untouched = await second.state();
  await second.knobs().first().focus();
  // To the lowest position, wherever it stands.
  await page.keyboard.press('Home');
  await second.settled();
  const [one, two] = [await first.state(), await second.state()];
  assert.notDeepEqual(two, untouched);
  await until('an address with the first lab', () => new URL(page.url()).searchParams.get('ack_wait') === '10s', () => page.url());

  const other = await open(started, await copied(page, second));
  assert.deepEqual(await (await liveLab(other, LABS[0])).state(), one);
  assert.deepEqual(await (await liveLab(other, LABS[1])).state(), two);

  await first.button('Reset').click();
  await first.settled();
  assert.deepEqual(await first.state(), opening);
  assert.deepEqual(await second.state(), two);
  await until('an address without the first lab', () => !new URL(page.url()).searchParams.has('ack_wait'), () => page.url());
  assert.match(page.url(), new RegExp(`${LABS[1]}\\.`));
  assert.deepEqual([...page.faults, ...other.faults], []);
});

test('an untouched page keeps its plain address', async (t) => {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER);
  for (const slug of LABS) await liveLab(page, slug);
  await new Promise((done) => setTimeout(done, 600));
  assert.equal(new URL(page.url()).search, '');
});
