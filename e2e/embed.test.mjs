// A figure in the frame of a page of another origin: nothing around it, idle, and a good guest.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { around, framed, liveFramed } from './support/host.mjs';
import { words } from './support/lab.mjs';
import { LABS, hosted, site } from './support/site.mjs';

const SLUG = LABS[0];
const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });
const frame = (src, more = '') => `<iframe src="${src}" title="A figure" width="100%" height="300" ${more}></iframe>`;
const focus = (host) => host.evaluate(() => document.activeElement.tagName);
const messages = (host) => host.evaluate(() => messages);

test('it is live and alone, stands still and leaves the focus where it was', async (t) => {
  const home = await hosted(t);
  const started = await browser(t);
  for (const slug of LABS) {
    const host = await around(t, started, frame(`${home}embed/${slug}/`));
    const lab = await liveFramed(host, slug);
    assert.equal(await focus(host), 'INPUT', slug);
    assert.equal(await lab.page.evaluate(() => document.activeElement.tagName), 'BODY', slug);
    // No chrome: what is seen is the lab, and one line.
    const { all, own, line } = await lab.page.evaluate(() => ({
      all: [...document.body.querySelectorAll('nav, body > header, footer.foot, .skip, .shell')].length,
      own: document.querySelector('main').innerText.replace(document.querySelector('.lab').innerText, ''),
      line: document.querySelector('.from a').outerHTML,
    }));
    assert.equal(all, 0, slug);
    assert.match(words(own), /^Delivery Lab From Delivery Lab, chapter \d+: /, slug);
    assert.match(line, /target="_blank" rel="noopener"/, slug);
    // The keys of the page around it are its own.
    await host.keyboard.press('Space');
    await host.keyboard.press('ArrowRight');
    await pause(300);
    assert.equal(await lab.button('Play').count(), 1, 'paused');
    assert.equal(await lab.page.evaluate(() => document.getAnimations().filter((a) => a.playState === 'running').length), 0);
    assert.deepEqual(host.wrong(home), []);
    await host.context().close();
  }
});

test('paused it costs nothing, and what plays stops when the page around it scrolls it out of sight', async (t) => {
  const home = await hosted(t);
  const before = (page) => page.addInitScript(() => {
    globalThis.asked = 0;
    for (const name of ['setTimeout', 'setInterval', 'requestAnimationFrame', 'requestIdleCallback']) {
      const real = globalThis[name];
      globalThis[name] = (...rest) => { globalThis.asked += 1; return real.apply(globalThis, rest); };
    }
  });
  const host = await around(t, await browser(t), `${frame(`${home}embed/${SLUG}/`)}<p class="far"></p>
    <style>.far { height: 4000px }</style>`, { before });
  const lab = await liveFramed(host, SLUG);
  const second = async () => {
    const from = await lab.page.evaluate(() => globalThis.asked);
    await pause(1_000);
    return lab.page.evaluate((then) => globalThis.asked - then
      + document.getAnimations().filter((a) => a.playState === 'running').length, from);
  };
  await until('quiet', async () => (await second()) === 0);
  await lab.section.locator('.speed').selectOption({ label: '0.25×' });
  await lab.button('Play').click();
  assert.ok((await second()) > 0, 'the count counts');
  await host.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await until('rest out of sight', async () => (await second()) === 0);
  assert.equal(await lab.button('Play').count(), 1);
  assert.deepEqual(host.wrong(home), []);
});

test('the program is fetched when the frame comes near, not before', async (t) => {
  const home = await hosted(t);
  const host = await around(t, await browser(t), `<p class="far"></p><style>.far { height: 6000px }</style>${frame(`${home}embed/${SLUG}/`)}`);
  const lab = await framed(host, SLUG);
  await lab.page.waitForLoadState('networkidle');
  const program = () => host.asked.filter((url) => url.endsWith('.wasm'));
  assert.deepEqual(program(), []);
  await host.evaluate(() => document.querySelector('iframe').scrollIntoView());
  await liveFramed(host, SLUG);
  assert.equal(program().length, 1);
});

test('it tells its height, and that is all it tells; the script for hosts follows it to rest', async (t) => {
  const home = await hosted(t);
  const started = await browser(t);
  for (const [width, script] of [[1280, 'before'], [700, 'after'], [390, 'late']]) {
    const tag = `<script src="${home}embed.js" async></script>`;
    const body = frame(`${home}embed/${SLUG}/?ack_wait=8s`, width === 700 ? 'style="box-sizing:border-box;border:3px solid"' : '');
    const host = await around(t, started, { before: tag + body, after: body + tag, late: body }[script], { viewport: { width, height: 900 } });
    const lab = await liveFramed(host, SLUG);
    const told = await until('a height', async () => (await messages(host)).at(-1));
    assert.deepEqual(Object.keys(told).sort(), ['height', 'lab', 'origin', 'type']);
    assert.deepEqual({ ...told, height: 0 }, { type: 'delivery-lab', lab: SLUG, height: 0, origin: home.slice(0, -1) });
    if (script === 'late') await host.addScriptTag({ url: `${home}embed.js` });
    const fits = () => lab.page.evaluate(() => {
      const { scrollHeight, clientHeight } = document.documentElement;
      return scrollHeight <= clientHeight && clientHeight - document.documentElement.getBoundingClientRect().height < 2;
    });
    await until(`a frame that fits at ${width} px`, fits,
      () => host.evaluate(() => JSON.stringify([messages, document.querySelector('iframe').offsetHeight])));
    // It grows with what is opened, shrinks again, and comes to rest.
    const height = () => host.evaluate(() => document.querySelector('iframe').offsetHeight);
    const closed = await height();
    await lab.openEvents();
    await until('a higher frame', async () => (await height()) > closed + 50 && fits());
    await lab.section.locator('details.events summary').click();
    await until('the first height', async () => Math.abs((await height()) - closed) < 2 && fits());
    const sent = (await messages(host)).length;
    await lab.button('Next event').click();
    await pause(500);
    assert.equal((await messages(host)).length, sent, 'a step changes no height');
    assert.ok(sent < 12, `${sent} messages`);
    assert.deepEqual(host.wrong(home), []);
    await host.context().close();
  }
});

test('a host that always gives more than it is asked for is not asked again', async (t) => {
  const home = await hosted(t);
  const host = await around(t, await browser(t), `${frame(`${home}embed/${SLUG}/`)}<script>
    addEventListener('message', ({ data }) => { document.querySelector('iframe').style.height = data.height + 97 + 'px'; });
  </script>`);
  await liveFramed(host, SLUG);
  await pause(1_000);
  const sent = await messages(host);
  assert.ok(sent.length >= 1 && sent.length <= 4, JSON.stringify(sent));
});

test('the script for hosts believes only its own figures, and only heights', async (t) => {
  const home = await hosted(t);
  // A frame of the host's own that says it is a figure.
  const forger = `<iframe srcdoc="<script>parent.postMessage({ type: 'delivery-lab', height: 4321 }, '*')</script>" title="Other"></iframe>`;
  const host = await around(t, await browser(t), `<script src="${home}embed.js"></script>${frame(`${home}embed/${SLUG}/`)}${forger}`);
  const lab = await liveFramed(host, SLUG);
  const heights = () => host.evaluate(() => [...document.querySelectorAll('iframe')].map((one) => one.style.height));
  const [own] = await until('a height', async () => ((await heights())[0] ? heights() : undefined));
  await until('the forged message', async () => (await messages(host)).some(({ height }) => height === 4321));
  for (const height of ['900', 'Infinity', 'NaN', '1e9', '-5', '"900px;"', '{}', 'null']) {
    await lab.page.evaluate((text) => parent.postMessage(Function(`return { type: 'delivery-lab', height: ${text} }`)(), '*'), height);
  }
  // 900 is a height; the others are none.
  await until('the honest one', async () => (await heights())[0] !== own);
  await pause(200);
  assert.deepEqual(await heights(), ['900px', '']);
  assert.deepEqual(host.wrong(home), []);
});

for (const script of [true, false]) {
  test(`Escape gives the focus back, ${script ? 'with' : 'without'} the script for hosts`, async (t) => {
    const home = await hosted(t);
    const host = await around(t, await browser(t),
      (script ? `<script src="${home}embed.js"></script>` : '') + frame(`${home}embed/${SLUG}/`));
    const lab = await liveFramed(host, SLUG);
    for (const inside of [lab.button('Next event'), lab.knob('ack_wait'), lab.view()]) {
      await inside.focus();
      await until('the focus in the frame', async () => (await focus(host)) === 'IFRAME');
      await host.evaluate(() => { keys.length = 0; messages.length = 0; });
      await host.keyboard.press('ArrowRight');
      assert.deepEqual(await host.evaluate(() => keys), [], 'keys belong to the figure');
      await host.keyboard.press('Escape');
      await until('the message', async () => (await messages(host)).some(({ escape }) => escape === true));
      const told = (await messages(host)).find(({ escape }) => escape);
      assert.deepEqual(told, { type: 'delivery-lab', escape: true, origin: home.slice(0, -1) });
      assert.equal(await lab.page.evaluate(() => document.activeElement.tagName), 'BODY');
      if (script) assert.equal(await focus(host), 'BODY');
      await host.keyboard.press('x');
      assert.deepEqual(await host.evaluate(() => keys), ['x'], 'keys belong to the page again');
    }
    assert.deepEqual(host.wrong(home), []);
  });
}

test('a presenter’s remote steps the figure that has the focus', async (t) => {
  const home = await hosted(t);
  const host = await around(t, await browser(t), frame(`${home}embed/${SLUG}/?t=0s`));
  const lab = await liveFramed(host, SLUG);
  await lab.button('Next event').focus();
  const first = await lab.caption();
  const steps = [];
  for (const key of ['PageDown', 'PageDown', 'PageUp', 'PageUp']) {
    await host.keyboard.press(key);
    steps.push(await lab.caption());
  }
  const [one, two, back, start] = steps;
  assert.equal(new Set([first, one, two]).size, 3, steps.join('\n'));
  assert.deepEqual([back, start], [one, first]);
});

test('settings and moment are in its own address, and history is left alone', async (t) => {
  const home = await hosted(t);
  const host = await around(t, await browser(t), frame(`${home}embed/${SLUG}/?ack_wait=10s&t=3s&theme=dark`));
  const lab = await liveFramed(host, SLUG);
  assert.deepEqual(await lab.notices(), []);
  assert.match(await lab.knob('ack_wait').getAttribute('aria-valuetext'), /^10 s/);
  assert.ok((await lab.moment()) <= 3);
  const before = await host.evaluate(() => history.length);
  await lab.knob('ack_wait').press('ArrowRight');
  await until('the new setting in the address', () => lab.page.evaluate(() => /ack_wait=12s/.test(location.search)));
  assert.match(await lab.page.evaluate(() => location.search), /theme=dark/);
  assert.equal(await host.evaluate(() => history.length), before);
  assert.deepEqual(host.wrong(home), []);
});

test('the scheme is the reader’s, or the one that the host asks for', async (t) => {
  const home = await hosted(t);
  const started = await browser(t);
  for (const [colorScheme, query, dark] of [
    ['light', '', false], ['dark', '', true], ['light', '?theme=dark', true], ['dark', '?theme=light', false], ['light', '?theme=%3Cb%3E', false],
  ]) {
    const page = await open(started, `${home}embed/${SLUG}/${query}`, { colorScheme });
    const paper = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    assert.equal(paper, dark ? 'rgb(22, 23, 26)' : 'rgb(251, 250, 246)', `${colorScheme} ${query}`);
    await page.context().close();
  }
});

for (const [name, headers, live] of [
  ['whose host lets everybody have its files', { 'access-control-allow-origin': '*' }, true],
  ['of an ordinary host', {}, false],
]) {
  test(`in a sandbox without an origin, a figure ${name} is ${live ? 'live' : 'printed, and says why'}`, async (t) => {
    const home = await hosted(t, site(), '/', headers);
    const host = await around(t, await browser(t), frame(`${home}embed/${SLUG}/?ack_wait=8s`, 'sandbox="allow-scripts"'));
    const errors = [];
    host.on('pageerror', (error) => errors.push(error.message));
    if (live) {
      const lab = await liveFramed(host, SLUG);
      await lab.knob('ack_wait').press('ArrowRight');
      await until('the setting in the address', () => lab.page.evaluate(() => /ack_wait=10s/.test(location.search)));
      // There the clipboard is closed: the text stands selected.
      await lab.button('Copy link').click();
      const text = lab.section.getByRole('textbox', { name: 'Text to copy' });
      await until('the link', () => text.isVisible());
      assert.match(await text.inputValue(), new RegExp(`^${home}the-stopwatch/\\?${SLUG}\\.ack_wait=10s#${SLUG}$`));
      await host.keyboard.press('Escape');
      await until('Escape', async () => (await messages(host)).some(({ escape }) => escape));
      // The browser notes the closed clipboard, and nothing else.
      assert.deepEqual(host.wrong(home).filter((fault) => !/Clipboard API has been blocked/.test(fault)), []);
    } else {
      const lab = await framed(host, SLUG);
      const said = lab.section.getByText('This figure is not live here: the sandbox');
      await until('the line', () => said.count());
      assert.equal(await lab.picture().count(), 1);
      assert.equal(await lab.section.getByRole('button', { name: 'Play' }).count(), 0);
      await until('a height', async () => (await messages(host)).some(({ height }) => height > 300));
    }
    assert.deepEqual(errors, []);
  });
}

test('in a sandbox with its origin it is live', async (t) => {
  const home = await hosted(t);
  const host = await around(t, await browser(t), frame(`${home}embed/${SLUG}/`, 'sandbox="allow-scripts allow-same-origin"'));
  await liveFramed(host, SLUG);
  assert.deepEqual(host.wrong(home), []);
});

test('without JavaScript: the default’s picture and account', async (t) => {
  const home = await hosted(t);
  for (const width of [390, 1280]) {
    const page = await open(await browser(t), `${home}embed/${SLUG}/?ack_wait=8s`, { javaScriptEnabled: false, viewport: { width, height: 900 } });
    const lab = page.locator(`#${SLUG}`);
    assert.equal(await lab.locator('svg.scene:visible').count(), 1);
    const account = await lab.locator('.account p').innerText();
    assert.match(account, /order-1[^]*Run 3/);
    assert.ok(await lab.locator('.account p').isVisible(), 'the account is open');
    assert.equal(await lab.getByRole('button').count(), 0);
    assert.deepEqual(page.faults, []);
    await page.context().close();
  }
});

test('one address for all: a query chooses the lab', async (t) => {
  const home = await hosted(t);
  const started = await browser(t);
  for (const [query, went] of [
    [`?lab=${SLUG}`, `${SLUG}/`],
    [`?lab=${SLUG}&ack_wait=8s`, `${SLUG}/?ack_wait=8s`],
    [`?backoff=1s%2C2s&lab=${LABS[1]}&t=2s#x`, `${LABS[1]}/?backoff=1s%2C2s&t=2s#x`],
    [`index.html?lab=${SLUG}&&theme=dark`, `${SLUG}/?theme=dark`],
  ]) {
    const page = await open(started, `${home}embed/${query}`);
    await page.waitForURL(`${home}embed/${went}`);
    assert.deepEqual(page.faults, [], query);
    await page.context().close();
  }
  for (const [query, said] of [
    ['', undefined],
    ['?lab=nowhere&ack_wait=8s', 'nowhere'],
    ['?lab=<script>alert(1)</script>', '<script>alert(1)</script>'],
    [`?lab=${encodeURIComponent('"><img src=x onerror=alert(1)>')}`, '"><img src=x onerror=alert(1)>'],
    ['?lab=javascript:alert(1)', 'javascript:alert(1)'],
    ['?lab=//127.0.0.1:1/', '//127.0.0.1:1/'],
    ['?lab=../the-stopwatch', '../the-stopwatch'],
    ['?lab=%FF%00%', undefined],
    [`?lab=${'x'.repeat(10_000)}`, 'x'.repeat(40)],
    ['?lab=', ''],
  ]) {
    const name = query.slice(0, 60);
    const page = await open(started, `${home}embed/${query}`);
    await page.waitForLoadState('networkidle');
    assert.equal(new URL(page.url()).pathname, '/embed/', name);
    const line = page.locator('.unknown');
    if (query === '') assert.ok(!(await line.isVisible()));
    else assert.match(await line.innerText(), /^There is no figure “/, name);
    if (said !== undefined && query) assert.ok((await line.innerText()).startsWith(`There is no figure “${said}”`), await line.innerText());
    assert.equal(await page.locator('main script, main img').count(), 0, name);
    for (const slug of LABS) assert.equal(await page.locator(`main a[href="${slug}/"]`).count(), 1);
    assert.deepEqual(page.faults, [], name);
    await page.context().close();
  }
  const still = await open(started, `${home}embed/?lab=${SLUG}`, { javaScriptEnabled: false });
  await still.locator(`a[href="${SLUG}/"]`).click();
  await still.waitForURL(`${home}embed/${SLUG}/`);
});
