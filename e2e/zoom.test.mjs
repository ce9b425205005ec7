// Zoom and pan in time: by keys, buttons, wheel and drag, and in the address; a dense run has bands until it is near.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bookWith } from './support/book.mjs';
import { browser, open, until } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

const [SLUG] = LABS;

const DENSE = `
title = "Two thousand orders"
question = "How many come back?"
opens_at = "5s"

[scenario]
end = "60s"

[[scenario.streams]]
name = "ORDERS"
subjects = ["orders.>"]

[[scenario.consumers]]
stream = "ORDERS"
config = { durable_name = "emails", ack_wait = "1s", max_ack_pending = 100 }

[[scenario.workers]]
count = 10
batch = 10
service_time = "110ms"

[[scenario.timeline]]
at = "0s"
op.publish = { subject = "orders.new", data = "order-{i}", count = 2000, every = "25ms" }

[[knobs]]
name = "work"
label = "work per message"
setting = "worker.service_time"
positions = ["20ms", "50ms", "110ms", "180ms", "280ms"]
`;

async function start(t, query = '', options = {}) {
  const home = await hosted(t);
  const page = await open(await browser(t), `${home}${CHAPTER}${query}`, options);
  const lab = await liveLab(page, SLUG);
  t.after(() => assert.deepEqual(page.faults, []));
  return { page, lab };
}

/** The first and the last moment on the axis, in seconds. */
const ends = (lab) => lab.picture().evaluate((svg) => {
  const ticks = [...svg.querySelectorAll('.tick')].map((tick) => Number.parseFloat(tick.textContent.replace('T+', '')));
  return [Math.min(...ticks), Math.max(...ticks)];
});

const span = async (lab) => { const [from, to] = await ends(lab); return to - from; };

const view = (page) => new URL(page.url()).searchParams.get('view');

test('plus and minus zoom around the moment shown, shift and arrows pan, 0 shows the whole run', async (t) => {
  const { page, lab } = await start(t);
  const press = async (key) => { await page.keyboard.press(key); await lab.settled(); return ends(lab); };
  const whole = await ends(lab);
  const [picture, moment] = [await lab.picture().innerHTML(), await lab.moment()];
  await lab.view().focus();
  const near = await press('+');
  assert.ok(near[1] - near[0] < (whole[1] - whole[0]) * 0.6, `${near}`);
  assert.ok(near[0] <= moment && moment <= near[1] + 0.5, `${moment} is in ${near}`);
  const nearer = await press('+');
  assert.ok(nearer[1] - nearer[0] < near[1] - near[0]);
  const earlier = await press('Shift+ArrowLeft');
  assert.ok(earlier[0] < nearer[0] && earlier[1] < nearer[1], `${earlier} before ${nearer}`);
  const later = await press('Shift+ArrowRight');
  assert.ok(later[0] > earlier[0], `${later} after ${earlier}`);
  // The moment stays, whatever is shown of the run.
  assert.equal(await lab.moment(), moment);
  assert.ok(await span(lab) < await press('-').then(([from, to]) => to - from));
  await press('0');
  assert.equal(await lab.picture().innerHTML(), picture);
  // Elsewhere the keys are the page's.
  await page.evaluate(() => document.activeElement.blur());
  await press('+');
  assert.equal(await lab.picture().innerHTML(), picture);
});

test('buttons zoom, pan and go back; the rest of them comes when it is of use', async (t) => {
  const { page, lab } = await start(t);
  const whole = await span(lab);
  assert.equal(await lab.button('Zoom out').count(), 0);
  await lab.button('Zoom in').focus();
  await page.keyboard.press('Enter');
  await lab.settled();
  assert.ok(await span(lab) < whole);
  assert.match(await lab.section.locator('.zoom output').innerText(), /^[\d.]+ m?s to [\d.]+ s of \d+ s$/);
  const before = await ends(lab);
  await lab.button('Earlier').click();
  await lab.settled();
  assert.ok((await ends(lab))[0] < before[0]);
  await lab.button('Later').click();
  await lab.button('Zoom out').click();
  await lab.settled();
  assert.equal(await span(lab), whole);
  await lab.button('Zoom in').click();
  await lab.button('Whole run').focus();
  await page.keyboard.press('Enter');
  await lab.settled();
  assert.equal(await span(lab), whole);
  // The focus is not lost with the button.
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Zoom in');
  for (const button of await lab.section.locator('.clock button:visible').all()) {
    const box = await button.boundingBox();
    assert.ok(box.width >= 44 && box.height >= 44, `${await button.innerText()}: ${box.width} × ${box.height}`);
  }
});

test('the wheel zooms with ctrl and pans sideways, and else scrolls the page', async (t) => {
  const { page, lab } = await start(t);
  const box = await lab.picture().boundingBox();
  const whole = await span(lab);
  const [x, y] = [box.x + box.width * 0.3, box.y + box.height / 2];
  await page.mouse.move(x, y);
  const at = () => lab.picture().evaluate((svg) => svg.getBoundingClientRect().y);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -120);
  await page.mouse.wheel(0, -120);
  await page.keyboard.up('Control');
  await until('a zoom', async () => (await span(lab)) < whole * 0.7);
  const near = await ends(lab);
  await page.mouse.wheel(200, 0);
  await until('a pan', async () => (await ends(lab))[0] > near[0]);
  await page.keyboard.down('Shift');
  await page.mouse.wheel(0, -400);
  await page.keyboard.up('Shift');
  await until('a pan back', async () => (await ends(lab))[0] <= near[0]);
  const [kept, place] = [await ends(lab), await at()];
  await page.mouse.wheel(0, 150);
  await until('the page to scroll', async () => (await at()) < place);
  assert.deepEqual(await ends(lab), kept);
});

test('dragging the times chooses a stretch of the whole run, and moves what is zoomed', async (t) => {
  const { page, lab } = await start(t);
  const ticks = lab.picture().locator('.tick');
  const middle = async (tick) => {
    const box = await tick.boundingBox();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const drag = async ([fromX, fromY], [toX, toY]) => {
    await page.mouse.move(fromX, fromY);
    await page.mouse.down();
    await page.mouse.move((fromX + toX) / 2, toY, { steps: 3 });
    const marked = await lab.picture().locator('.chosen').count();
    await page.mouse.move(toX, toY, { steps: 3 });
    await page.mouse.up();
    await lab.settled();
    return marked;
  };
  const [from, to] = [await ticks.nth(2).innerHTML(), await ticks.nth(5).innerHTML()].map(Number.parseFloat);
  assert.equal(await drag(await middle(ticks.nth(2)), await middle(ticks.nth(5))), 1);
  const chosen = await ends(lab);
  assert.ok(Math.abs(chosen[0] - from) < 0.6 && Math.abs(chosen[1] - to) < 0.6, `${chosen} of ${from} to ${to}`);
  assert.equal(await lab.picture().locator('.chosen').count(), 0);
  assert.equal(await drag(await middle(ticks.nth(2)), await middle(ticks.nth(4))), 0);
  const moved = await ends(lab);
  assert.ok(moved[0] < chosen[0], `${moved} before ${chosen}`);
});

test('the address keeps what is shown, and what it does not understand it answers in words', async (t) => {
  const { page, lab } = await start(t, '?view=4s-8s');
  assert.deepEqual((await ends(lab)), [4, 8]);
  await lab.view().focus();
  await page.keyboard.press('+');
  const shown = await until('the address to follow', () => view(page) !== '4s-8s' && view(page));
  const picture = await lab.picture().innerHTML();
  await page.reload();
  const again = await liveLab(page, SLUG);
  assert.equal(await again.picture().innerHTML(), picture);
  assert.equal(view(page), shown);
  await again.view().focus();
  await page.keyboard.press('0');
  await until('the address to forget it', () => view(page) === null);

  for (const nonsense of ['soon', '8s-4s', '-', '99h-100h', '%3Cscript%3E-1s', `${'9'.repeat(5000)}s-1s`]) {
    const { page: other, lab: figure } = await start(t, `?view=${nonsense}`);
    const said = await figure.notices();
    assert.equal(said.length, 1, nonsense);
    assert.match(said[0], /^view in the address: .* The whole run is shown\.$/);
    assert.ok(said[0].length < 220, said[0]);
    assert.ok((await span(figure)) > 10);
    await other.close();
  }
});

test('what is zoomed turns its pages while it plays, and for an event that is elsewhere', async (t) => {
  const { page, lab } = await start(t, '?view=0s-3s&t=2s');
  const before = await ends(lab);
  await lab.button('Play').click();
  await until('the next page', async () => (await ends(lab))[0] > before[0]);
  await lab.button('Pause').or(lab.button('Play')).click();
  const moment = async () => Number.parseFloat((await lab.section.locator('output.time').innerText()).slice(2));
  const [from, to] = await ends(lab);
  const now = await moment();
  assert.ok(from - 0.6 <= now && now <= to + 0.6, `${now} is in ${from} to ${to}`);
  await lab.view().focus();
  await page.keyboard.press('Home');
  await lab.settled();
  assert.equal((await ends(lab))[0], 0);
});

test('two thousand messages are bands, and each is seen from near', async (t) => {
  const url = await bookWith(t, { orders: DENSE });
  for (const options of [{}, { viewport: { width: 390, height: 844 } }]) {
    const page = await open(await browser(t), url, options);
    const lab = await liveLab(page, 'orders');
    const words = await lab.picture().evaluate((svg) => svg.textContent);
    for (const band of ['sent', 'stored', 'in flight', 'handled', 'max 2000']) {
      assert.ok(words.includes(band), `${band} is not in: ${words}`);
    }
    const marks = () => lab.picture().locator('[data-msg]').count();
    assert.equal(await marks(), 0);
    assert.match(await lab.section.locator('.zoom output').innerText(), /zoom in/);
    await lab.view().focus();
    for (let press = 0; press < 6; press += 1) {
      await page.keyboard.press('+');
      await lab.settled();
    }
    assert.ok((await marks()) > 20, `${await marks()} marks`);
    await page.keyboard.press('0');
    await lab.settled();
    assert.equal(await marks(), 0);
    // A slider gives another run and another picture, and the account is there for who opens it.
    const before = await lab.picture().innerHTML();
    await lab.knob('work per message').focus();
    await page.keyboard.press('ArrowRight');
    await lab.settled();
    assert.notEqual(await lab.picture().innerHTML(), before);
    const account = lab.section.locator('details.account');
    await account.locator('summary').click();
    await until('the account', async () => /2000 orders sent/.test(await account.innerText()));
    assert.deepEqual(page.faults, []);
    await page.context().close();
  }
});
