// The point of the chapter: a longer ack_wait moves the second delivery, everywhere at once.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { liveLab, seconds } from './support/lab.mjs';
import { CHAPTER, hosted } from './support/site.mjs';

const SECOND = /order-1[^.]*again, as delivery 2/;

/** The moment of the second delivery of order-1 in the table of events. */
async function inTable(lab) {
  const rows = (await lab.events()).map((cells) => cells.join(' '));
  const again = rows.filter((row) => SECOND.test(row));
  assert.equal(again.length, 1, rows.join('\n'));
  return seconds(again[0]);
}

/** Steps from the start to the second delivery of order-1, and returns the moment that the caption says. */
async function inCaption(lab) {
  await lab.button('Next event').focus();
  await lab.page.keyboard.press('Home');
  for (let step = 0; step < 60; step += 1) {
    await lab.button('Next event').click();
    await lab.settled();
    const caption = await lab.caption();
    if (SECOND.test(caption)) return seconds(caption);
  }
  return assert.fail(`no step says it; the last: ${await lab.caption()}`);
}

/** Where the arrow of a later delivery of the first message begins in the picture, read off the time axis. */
const inPicture = (lab) => lab.picture().evaluate((svg) => {
  const arrow = svg.querySelector('.flight.again[data-msg="0"]').getBBox();
  const ticks = [...svg.querySelectorAll('text.tick')]
    .map((tick) => ({ at: parseFloat(tick.textContent.replace('T+', '')), x: Number(tick.getAttribute('x')) }));
  const [first, last] = [ticks[0], ticks.at(-1)];
  return first.at + ((arrow.x - first.x) / (last.x - first.x)) * (last.at - first.at);
});

const about = (found, expected) => assert.ok(Math.abs(found - expected) < 0.1, `${found} is not ${expected}`);

test('from 5 s to 10 s by keyboard, order-1 is delivered again at T+10 and no longer at T+8', async (t) => {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER);
  const lab = await liveLab(page, 'crash-redelivery');
  await lab.openEvents();

  assert.match(await lab.knob('ack_wait').getAttribute('aria-valuetext'), /^5 s/);
  assert.equal(new URL(page.url()).searchParams.get('ack_wait'), null);
  assert.equal(await inTable(lab), 8);
  assert.equal(await inCaption(lab), 8);
  about(await inPicture(lab), 8);
  await lab.button('Reset').click();
  const moment = await lab.moment();

  await lab.turn('ack_wait', /^10 s/);
  assert.equal(await inTable(lab), 10);
  about(await inPicture(lab), 10);
  await until('the address', () => new URL(page.url()).searchParams.get('ack_wait') === '10s', () => page.url());
  assert.ok((await lab.moment()) <= moment, 'the moment shown stays');
  assert.equal(await inCaption(lab), 10);

  // Back again, everything is as it was.
  await lab.turn('ack_wait', /^5 s/, 'ArrowLeft');
  assert.equal(await inTable(lab), 8);
  about(await inPicture(lab), 8);
  await until('the address', () => !new URL(page.url()).searchParams.has('ack_wait'), () => page.url());
  assert.deepEqual(page.faults, []);
});
