// Whatever an address says, the lab runs, and what was not understood is said.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { CHAPTER, hosted } from './support/site.mjs';

const SLUG = 'crash-redelivery';
const SCRIPT = '<script>alert(1)</script>';
const IMAGE = '"><img src=x onerror=alert(1)>';
const junk = 'j%FF%00%25&=&'.repeat(1000) + 'x'.repeat(5000);

/** Opens the chapter with a query; the page must stay whole. */
async function visit(t, started, home, query) {
  const page = await open(started, `${home}${CHAPTER}?${query}`);
  const lab = await liveLab(page, SLUG);
  assert.deepEqual(page.faults, [], query.slice(0, 80));
  assert.equal(await page.locator('section.lab script, section.lab img').count(), 0, 'text became markup');
  return lab;
}

test('nonsense gives the default run and a sentence that anyone can see', async (t) => {
  const started = await browser(t);
  const home = await hosted(t);
  const plain = await (await visit(t, started, home, '')).state();
  for (const [query, said] of [
    ['ack_wait=banana', /ack_wait.*banana/],
    ['max_deliver=two', /max_deliver.*two/],
    ['t=later', /later/],
    ['ack_wiat=8s', /ack_wiat/],
    ['ack_wait=-5s', /ack_wait.*-5s/],
    ['ack_wait=', /ack_wait/],
    ['ack_wait=99999999999999999999999999h', /ack_wait/],
    [`ack_wait=${junk}`, /ack_wait/],
    [`${'x'.repeat(10_000)}=1&ack_wait=nothing`, /ack_wait.*nothing/],
    [`ack_wait=${encodeURIComponent(SCRIPT)}`, /ack_wait.*<script>/],
    [`ack_wait=${encodeURIComponent(IMAGE)}`, /ack_wait.*<img/],
    [`${SLUG}.ack_wait=banana`, /ack_wait.*banana/],
  ]) {
    const lab = await visit(t, started, home, query);
    const name = query.slice(0, 60);
    const notices = await lab.notices();
    assert.match(notices.join(' '), said, name);
    // Ten thousand characters of junk are not poured over the reader.
    assert.ok(notices.length <= 5, notices.join('\n'));
    for (const notice of notices) assert.ok(notice.length < 250, `${name}: ${notice}`);
    assert.deepEqual(await lab.state(), plain, name);
    await lab.page.context().close();
  }
});

test('half an address is kept: what was understood holds beside what was not', async (t) => {
  const started = await browser(t);
  const lab = await visit(t, started, await hosted(t), 'ack_wait=10s&max_deliver=two&t=3s');
  assert.match((await lab.notices()).join(' '), /max_deliver.*two/);
  assert.match(await lab.knob('ack_wait').getAttribute('aria-valuetext'), /^10 s/);
  assert.ok((await lab.moment()) <= 3);
});

test('a good address says nothing', async (t) => {
  const started = await browser(t);
  const home = await hosted(t);
  for (const query of ['', 'ack_wait=8s', `${SLUG}.ack_wait=8s`, 'slow-or-dead.t=1s', 'ack_wait=5s&t=3s&backoff=none']) {
    const lab = await visit(t, started, home, query);
    assert.deepEqual(await lab.notices(), [], query);
    await lab.page.context().close();
  }
});
