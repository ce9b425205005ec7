// By keyboard alone through one lab, from its question to its table of events.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

const [SLUG] = LABS;

/** More stops than this no reader takes to get to the next thing. */
const STOPS = 60;

/** What has the focus: where it stands, what it is called, and whether a reader can see that it has it. */
const focused = (page) => page.evaluate((slug) => {
  const element = document.activeElement;
  if (!element || element === document.body) return undefined;
  const order = [...document.querySelectorAll('*')].indexOf(element);
  // A control whose own box is not shown has its ring on its label.
  const rings = [element, ...(element.labels ?? []), element.parentElement].map((each) => getComputedStyle(each));
  const ring = rings.some(({ outlineStyle, outlineWidth, boxShadow }) =>
    (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2) || boxShadow !== 'none');
  const { top, bottom, left, right } = element.getBoundingClientRect();
  return {
    order,
    what: element.outerHTML.slice(0, 120),
    within: element.closest('section.lab')?.id === slug,
    ring,
    inView: bottom > 0 && top < innerHeight && right > 0 && left < innerWidth,
    jumps: element.tabIndex > 0,
  };
}, SLUG);

/** Presses Tab until `locator` has the focus; every stop on the way must be one that a reader can follow. */
async function tabTo(page, locator, what) {
  const stops = [];
  for (let stop = 0; stop < STOPS; stop += 1) {
    const before = await focused(page);
    await page.keyboard.press('Tab');
    const now = await focused(page);
    assert.ok(now, `the focus is lost on the way to ${what}: ${stops.join('\n')}`);
    stops.push(now.what);
    assert.ok(!before || now.order > before.order, `Tab goes back, from ${before?.what} to ${now.what}`);
    assert.ok(!now.jumps, `a tabindex of its own: ${now.what}`);
    assert.ok(now.inView, `out of view: ${now.what}`);
    assert.ok(now.ring, `nothing shows that the focus is at ${now.what}`);
    if (await locator.evaluateAll((all) => all.includes(document.activeElement))) return now;
  }
  return assert.fail(`Tab does not lead to ${what}, but to\n${stops.join('\n')}`);
}

for (const width of [390, 1280]) {
  test(`from the question to the events at ${width} px, and out again`, async (t) => {
    const page = await open(await browser(t), (await hosted(t)) + CHAPTER, { viewport: { width, height: 900 } });
    const lab = await liveLab(page, SLUG);
    const press = async (key) => {
      await page.keyboard.press(key);
      await lab.settled();
    };
    const running = () => lab.section.evaluate((section) =>
      section.getAnimations({ subtree: true }).filter(({ playState }) => playState === 'running').length);
    // Where a reader who has read the question is: before everything in the lab that can be operated.
    await lab.section.getByRole('heading').first().evaluate((heading) => {
      heading.tabIndex = -1;
      heading.focus();
      heading.removeAttribute('tabindex');
    });

    // The question first, where the lab asks one: answered before the run, and the run answers back in words.
    const answers = lab.section.getByRole('radio');
    if (await answers.count() > 0) {
      const told = async () => (await lab.section.getByRole('status').allInnerTexts()).join(' ').trim();
      const place = () => answers.evaluateAll((all) => all.indexOf(document.activeElement));
      await tabTo(page, answers, 'the answers');
      const before = await told();
      await press('Space');
      assert.equal(await lab.section.getByRole('radio', { checked: true }).count(), 1, 'an answer is chosen');
      await until('feedback', async () => (await told()) !== before, told);
      const [chosen, said] = [await place(), await told()];
      await press('ArrowDown');
      assert.notEqual(await place(), chosen, 'arrows go to the next answer');
      await until('other feedback', async () => (await told()) !== said, told);
    }

    // The picture takes the keys of the clock.
    await tabTo(page, lab.view(), 'the picture');
    await press('Home');
    const start = await lab.caption();
    await press('ArrowRight');
    const first = await lab.caption();
    assert.notEqual(first, start);
    await press('Space');
    await until('movement', async () => (await running()) > 0);
    await press('Space');
    await until('a stop', async () => (await running()) === 0);

    // The clock.
    await tabTo(page, lab.button('Play'), 'Play');
    await press('Enter');
    await until('movement', async () => (await running()) > 0);
    await press('Enter');
    await until('a stop', async () => (await running()) === 0);
    await press('Home');
    await tabTo(page, lab.button('Next event'), 'Next event');
    await press('Enter');
    assert.equal(await lab.caption(), first);
    const time = lab.section.getByRole('slider', { name: 'Time', exact: true });
    await tabTo(page, time, 'the time');
    await press('End');
    const end = await lab.moment();
    await press('Home');
    assert.ok((await lab.moment()) < end);

    // A knob: it says its value in words, and picture and address follow.
    const drawn = () => lab.picture().evaluate((svg) => svg.innerHTML);
    const picture = await drawn();
    const knob = lab.knob('ack_wait');
    await tabTo(page, knob, 'ack_wait');
    const said = await knob.getAttribute('aria-valuetext');
    await press('ArrowRight');
    assert.notEqual(await knob.getAttribute('aria-valuetext'), said);
    await until('another picture', async () => (await drawn()) !== picture);
    await until('the address', () => new URL(page.url()).searchParams.has('ack_wait'), () => page.url());

    // The rarer ones, unfolded.
    const more = lab.section.locator('summary', { hasText: 'More settings' });
    await tabTo(page, more, 'More settings');
    const before = await lab.knobs().count();
    await press('Enter');
    assert.ok((await lab.knobs().count()) > before);
    await tabTo(page, lab.knobs().last(), 'the last knob');
    await tabTo(page, lab.button('Reset'), 'Reset');
    await press('Enter');
    assert.equal(await knob.getAttribute('aria-valuetext'), said);

    // The table: opened, entered, and a row of it shown.
    await tabTo(page, lab.section.locator('details.events > summary'), 'the events');
    await press('Enter');
    await until('the rows', () => lab.section.locator('details.events tbody tr').count());
    const rows = await lab.events();
    // One stop for the whole table: the row of now; arrows go through the others.
    const row = lab.section.locator('details.events tbody tr').first().getByRole('button').first();
    await tabTo(page, lab.section.locator('details.events [data-row][tabindex="0"]'), 'the row of now');
    for (let up = 0; up < rows.length && !(await row.evaluate((first) => first === document.activeElement)); up += 1) {
      await press('ArrowUp');
    }
    assert.ok(await row.evaluate((first) => first === document.activeElement), 'arrows lead to the first row');
    await press('Enter');
    assert.ok((await lab.caption()).includes(rows[0].at(-1)), await lab.caption());

    // No trap: closed again, the way leads on and out.
    await page.locator('details.events > summary').first().evaluate((summary) => summary.focus());
    await press('Enter');
    for (let stop = 0; (await focused(page))?.within ?? false; stop += 1) {
      assert.ok(stop < STOPS, 'no way out of the lab');
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Shift+Tab');
    assert.ok((await focused(page)).within, 'and back in');
    assert.deepEqual(page.faults, []);
  });
}
