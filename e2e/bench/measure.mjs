// The measures of a page in a real browser. Each opens a page of its own in a fresh context, so nothing is cached.

import puppeteer from 'puppeteer-core';
import { executable, flags, open } from '../support/browser.mjs';
import { liveLab } from '../support/lab.mjs';
import { sleep } from './machine.mjs';

/** How long after a lab became live before anything is measured, in milliseconds. */
const SETTLE = 700;

/** How long a cost or frames are looked at. */
const WINDOW = 2_000;

/** How many times a knob is turned before it is turned back. */
const TURNS = 5;

/** Between two turns of a knob: as fast as a hand moves a slider. */
const PACE = 50;

/** A turn after which the picture has not changed for so long has not changed it. */
const UNCHANGED = 400;

/** Opens `url` at a CPU slow-down of `rate`, and a session with its page. */
async function opened(started, url, rate, before = async () => {}) {
  let cdp;
  const page = await open(started, url, {
    before: async (fresh) => {
      cdp = await fresh.context().newCDPSession(fresh);
      // Processor time of the main thread, not time on the wall: other programs' work is not the page's.
      await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
      if (rate > 1) await cdp.send('Emulation.setCPUThrottlingRate', { rate });
      await before(fresh);
    },
  });
  return { page, cdp };
}

/** Closes a page; what went wrong on it makes its figures worthless. */
async function closed(page) {
  const { faults } = page;
  await page.context().close();
  if (faults.length > 0) throw new Error(`On the measured page went wrong: ${faults.join('; ')}`);
}

/** A live lab at rest, its clock in view. */
async function resting(started, home, path, slug, rate, before) {
  const { page, cdp } = await opened(started, `${home}${path}#${slug}`, rate, before);
  const lab = await liveLab(page, slug);
  await page.mouse.move(0, 0);
  await sleep(SETTLE);
  return { page, cdp, lab };
}

/** Milliseconds of the main thread for each second of a window. */
async function cost(cdp, ms = WINDOW) {
  const read = async () => {
    const { metrics } = await cdp.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1_000;
  };
  const [from, start] = [await read(), performance.now()];
  await sleep(ms);
  const spent = (await read()) - from;
  return (spent * 1_000) / (performance.now() - start);
}

// ---------------------------------------------------------------- live

/** Milliseconds from the first paint with content until the lab is live. */
export async function live(started, home, path, slug, rate) {
  const stamp = (id) => {
    globalThis.stamps = {};
    new PerformanceObserver((list) => {
      for (const { name, startTime } of list.getEntries()) {
        if (name === 'first-contentful-paint') globalThis.stamps.painted = startTime;
      }
    }).observe({ type: 'paint', buffered: true });
    new MutationObserver((_, observer) => {
      if (!document.querySelector(`section.lab.live[id="${id}"]`)) return;
      globalThis.stamps.live = performance.now();
      observer.disconnect();
    }).observe(document, { subtree: true, attributes: true, attributeFilter: ['class'] });
  };
  const { page } = await opened(started, `${home}${path}#${slug}`, rate, (fresh) => fresh.addInitScript(stamp, slug));
  await page.waitForFunction(() => globalThis.stamps.live && globalThis.stamps.painted);
  const stamps = await page.evaluate(() => globalThis.stamps);
  await closed(page);
  // A lab that is live within the first paint has kept nobody waiting.
  return Math.max(0, stamps.live - stamps.painted);
}

// ---------------------------------------------------------------- slider

/**
 * In the page: for every key, when it was pressed, when the picture had changed, and when the main thread had painted
 * a frame with the change.
 */
const watchTurns = (view) => {
  const turns = [];
  let now;
  new MutationObserver(() => { if (now) now.changed ??= performance.now(); })
    .observe(view, { subtree: true, childList: true, attributes: true, characterData: true });
  const frame = () => requestAnimationFrame(() => {
    const turn = now;
    const { port1, port2 } = new MessageChannel();
    // A message sent in a frame arrives when the frame has been painted.
    port1.onmessage = () => {
      if (turn.changed) {
        performance.mark('turn-end');
        turn.painted ??= performance.now();
      } else if (performance.now() - turn.pressed < turn.patience) frame();
      else turn.unchanged = true;
    };
    port2.postMessage(0);
  });
  addEventListener('keydown', (event) => {
    performance.mark('turn-begin');
    now = { pressed: event.timeStamp, patience: globalThis.patience };
    turns.push(now);
    frame();
  }, true);
  globalThis.turns = turns;
};

/** Turns every visible slider of a lab's settings there and back; milliseconds from each key to the new picture. */
async function turns({ page, lab }, each = async () => {}) {
  await page.evaluate((ms) => { globalThis.patience = ms; }, UNCHANGED);
  await lab.view().evaluate(watchTurns);
  for (const knob of await lab.knobs().all()) {
    await knob.focus();
    await sleep(PACE);
    const there = await knob.evaluate(({ value, max }) => Number(value) < Number(max)) ? 'ArrowRight' : 'ArrowLeft';
    const back = there === 'ArrowRight' ? 'ArrowLeft' : 'ArrowRight';
    for (let press = 0; press < 2 * TURNS; press += 1) {
      const key = press < TURNS ? there : back;
      const before = await knob.evaluate(({ value }) => value);
      const known = await page.evaluate(() => globalThis.turns.length);
      await page.keyboard.press(key);
      const turn = await page.waitForFunction((from) => {
        const last = globalThis.turns[from];
        return last && (last.painted || last.unchanged) && last;
      }, known, { polling: 20 });
      const done = await turn.jsonValue();
      // At its end a slider does not move.
      if (done.painted && (await knob.evaluate(({ value }) => value)) !== before) await each(done);
      await sleep(PACE);
    }
  }
}

/** Milliseconds from each key on a slider of the lab to the painted new picture. */
export async function slider(started, home, path, slug, rate) {
  const at = await resting(started, home, path, slug, rate);
  const found = [];
  await turns(at, ({ pressed, painted }) => { found.push(painted - pressed); });
  await closed(at.page);
  if (found.length < TURNS) throw new Error(`The sliders of ${slug} hardly change its picture.`);
  return found;
}

/** What the browser calls its work, by what it is for. */
const WORK = [
  ['script and HTML', /^(EventDispatch|FireAnimationFrame|RunMicrotasks|TimerFire|FunctionCall)$/],
  ['of it HTML', /^ParseHTML$/],
  ['style', /^(UpdateLayoutTree|RecalculateStyles)$/],
  ['layout', /^Layout$/],
  ['paint', /^(PrePaint|UpdateLayerTree|Paint|Layerize|Commit)$/],
];

/**
 * Where the processor time of a turn goes, whatever else the machine does: that of the main thread in every turn from key to
 * painted picture, and its share for each kind of work in an average one.
 */
export async function phases(started, home, path, slug, rate) {
  const at = await resting(started, home, path, slug, rate);
  const events = [];
  at.cdp.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  await at.cdp.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'blink.user_timing'] },
  });
  await turns(at);
  const complete = new Promise((done) => at.cdp.once('Tracing.tracingComplete', done));
  await at.cdp.send('Tracing.end');
  await complete;
  await closed(at.page);

  const marks = events.filter(({ name }) => /^turn-(begin|end)$/.test(name)).sort((a, b) => a.ts - b.ts);
  const spans = marks.flatMap((mark, i) => (mark.name === 'turn-begin' && marks[i + 1]?.name === 'turn-end' ? [[mark.ts, marks[i + 1].ts]] : []));
  const [{ pid, tid }] = marks;
  const own = events.filter((event) => event.pid === pid && event.tid === tid && event.ph === 'X').sort((a, b) => a.ts - b.ts);
  /** Milliseconds of the thread in such events of a turn; what is within another of them counts once. */
  const spent = (pattern, [from, to]) => {
    let upto = 0;
    let sum = 0;
    for (const { name, ts, dur = 0, tdur = dur } of own) {
      if (ts > to) break;
      if (ts < upto || ts + dur < from || !pattern.test(name)) continue;
      sum += tdur;
      upto = ts + dur;
    }
    return sum / 1_000;
  };
  const sum = (values) => values.reduce((all, value) => all + value, 0);
  return {
    turns: spans.map((span) => spent(/RunTask$/, span)),
    work: WORK.map(([name, pattern]) => [name, sum(spans.map((span) => spent(pattern, span))) / spans.length]),
  };
}

// ---------------------------------------------------------------- moving and resting

/** Sets the clock going from the start. */
async function play({ page, lab }) {
  await lab.view().focus();
  await page.keyboard.press('Home');
  await lab.button('Play').click();
  await page.mouse.move(0, 0);
  await sleep(300);
}

/** A figure that stopped while it was measured has measured nothing. */
async function playing({ lab }) {
  if (await lab.button('Pause').count() === 0) throw new Error(`The run of ${lab.slug} is over before it is measured.`);
}

/** Milliseconds of the main thread a second while the figure plays. */
export async function animating(started, home, path, slug) {
  const at = await resting(started, home, path, slug, 1);
  await play(at);
  const ms = await cost(at.cdp);
  await playing(at);
  await closed(at.page);
  return ms;
}

/** Milliseconds between two frames while the figure plays. */
export async function frames(started, home, path, slug, rate) {
  const at = await resting(started, home, path, slug, rate);
  await play(at);
  const intervals = await at.page.evaluate((ms) => new Promise((done) => {
    const stamps = [];
    const tick = (now) => {
      stamps.push(now);
      if (now - stamps[0] < ms) requestAnimationFrame(tick);
      else done(stamps.slice(1).map((stamp, i) => stamp - stamps[i]));
    };
    requestAnimationFrame(tick);
  }), WINDOW);
  await playing(at);
  await closed(at.page);
  return intervals;
}

/** Milliseconds of the main thread a second while nobody sees anything move: the clock paused after playing. */
export async function paused(started, home, path, slug) {
  const at = await resting(started, home, path, slug, 1);
  await play(at);
  await at.lab.button('Pause').click();
  await at.page.mouse.move(0, 0);
  await sleep(SETTLE);
  const ms = await cost(at.cdp);
  await closed(at.page);
  return ms;
}

/** … the clock left running in a tab behind another. By puppeteer: to Playwright every tab is in front. */
export async function hidden(_, home, path, slug) {
  const started = await puppeteer.launch({ executablePath: executable(), args: flags(), defaultViewport: { width: 1280, height: 900 } });
  try {
    const page = await started.newPage();
    const cdp = await page.createCDPSession();
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.goto(`${home}${path}#${slug}`);
    const go = await page.waitForSelector(`section.lab.live#${slug} ::-p-aria([name="Play"][role="button"])`);
    await (await page.$(`#${slug} .view`)).focus();
    await page.keyboard.press('Home');
    await go.click();
    await page.waitForSelector(`#${slug} ::-p-aria([name="Pause"][role="button"])`);
    await (await started.newPage()).bringToFront();
    if (!(await page.evaluate(() => document.hidden))) throw new Error('The tab behind another is not hidden.');
    await sleep(SETTLE);
    return await cost(cdp);
  } finally {
    await started.close();
  }
}

/** … the clock left running, and the page scrolled away from it. */
export async function offScreen(started, home, path, slug) {
  const at = await resting(started, home, path, slug, 1);
  await play(at);
  await at.page.evaluate((id) => {
    const lab = document.getElementById(id).getBoundingClientRect();
    const room = document.documentElement.scrollHeight - scrollY - lab.bottom;
    scrollTo(0, room > innerHeight ? document.documentElement.scrollHeight : 0);
  }, slug);
  await sleep(SETTLE);
  const ms = await cost(at.cdp);
  await closed(at.page);
  return ms;
}

