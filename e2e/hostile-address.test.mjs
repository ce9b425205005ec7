// An address made to do harm runs nothing, breaks nothing, and is answered in words by a lab that works.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

const [SLUG, BATCH, SLOW] = LABS;
const code = encodeURIComponent;
const PWN = 'globalThis.pwned=1';

/** The address, what the lab says to it (nothing, if it is sound), which lab, and why it does not run so (if it does not). */
const CASES = {
  'a script': [`ack_wait=${code(`<script>${PWN}</script>`)}`, /ack_wait.*<script>/],
  'a script that ends another element': [`ack_wait=${code(`</output></p></script><script>${PWN}</script>`)}`, /ack_wait/],
  'a picture that fails': [`t=${code(`<img src=x onerror=${PWN}>`)}`, /<img/],
  'a drawing with a script': [`max_deliver=${code(`<svg onload=${PWN}><script>${PWN}</script></svg>`)}`, /max_deliver.*<svg/],
  'a frame': [`ack_wait=${code(`<iframe srcdoc="<script>parent.pwned=1</script>">`)}`, /ack_wait.*<iframe/],
  'the end of an attribute': [`ack_wait=${code(`" autofocus onfocus=${PWN} x="`)}`, /ack_wait.*autofocus/],
  'the end of an attribute in single quotes': [`ack_wait=${code(`' autofocus onfocus='${PWN}`)}`, /ack_wait.*autofocus/],
  'markup in the name of a setting': [`${SLUG}.${code(`<img src=x onerror=${PWN}>`)}=1`, /<img/],
  'markup that was escaped before': [`ack_wait=${code(`&lt;img src=x onerror=${PWN}&gt;&#60;b&#62;`)}`, /ack_wait.*&lt;img/],
  'markup encoded twice': [`ack_wait=${code(code(`<img src=x onerror=${PWN}>`))}`, /ack_wait.*%3Cimg/],
  'a script as an address': [`backoff=${code(`javascript:${PWN}`)}`, /backoff.*javascript/],
  'a script as the hash': [`ack_wait=no#${code(`"><img src=x onerror=${PWN}>`)}`, /ack_wait.*no/],
  'words of a template': [`ack_wait=${code('{{constructor.constructor("' + PWN + '")()}}${' + PWN + '}')}`, /ack_wait/],
  'a rule of style': [`ack_wait=${code('</style><style>*{display:none}</style>')}`, /ack_wait/],

  'a number beyond all numbers': [`max_deliver=${'9'.repeat(400)}`, /max_deliver.*9999/],
  'a number just beyond 64 bits': ['max_deliver=18446744073709551616', /max_deliver/],
  'a number with a sign': ['max_deliver=-7', /max_deliver.*-7/],
  'no number': ['max_deliver=NaN&ack_wait=Infinity', /max_deliver.*NaN/],
  'a number of science': ['max_deliver=1e309', /max_deliver.*1e309/],
  'a number in sixteens': ['max_deliver=0x10', /max_deliver.*0x10/],
  'figures of another script': [`max_deliver=${code('٥')}&ack_wait=${code('５s')}`, /max_deliver.*٥/],
  'a time beyond all times': ['ack_wait=9999999999999999999h', /ack_wait/],
  'a moment beyond all times': ['t=18446744073709551616ns', /18446744073709551616/],
  'a moment before the start': ['t=-1s', /-1s/],
  'a moment that is none': ['t=NaN', /NaN/],
  'a list of five thousand': [`backoff=${Array(5_000).fill('1s').join(',')}`, /backoff/],
  'a list of nothing': [`backoff=${','.repeat(5_000)}`, /backoff/],
  'a list with one rotten entry': ['backoff=1s,banana,3s', /backoff.*banana/],

  'five thousand settings that there are not': [Array.from({ length: 5_000 }, (_, i) => `${SLUG}.k${i}=${i}`).join('&'), /k0/],
  'one setting five thousand times': [`${'ack_wait=5s&'.repeat(5_000)}ack_wait=banana`, /ack_wait.*banana/],
  'a hundred thousand characters': [`ack_wait=${'x'.repeat(100_000)}`, /ack_wait/],
  'a name of a hundred thousand characters': [`${SLUG}.${'x'.repeat(100_000)}=1`, /xxx/],
  'percent signs and nothing behind them': [`ack_wait=${'%'.repeat(500)}`, /ack_wait.*%%%/],
  'bytes that are no text': ['ack_wait=%C0%AF%ED%A0%80%F4%90%80%80%FF%FE', /ack_wait/],
  'half a code': ['ack_wait=%E2%82&max_deliver=%', /ack_wait/],
  'null bytes': ['ack_wait=5s%00&max_deliver=%00', /ack_wait/],
  'line ends': ['ack_wait=5s%0D%0ASet-Cookie:%20a=b', /ack_wait/],
  'the words of every object': [`${SLUG}.__proto__=1&${SLUG}.constructor=2&${SLUG}.toString=3&__proto__[pwned]=1`, /__proto__/],
  'the words of every object as values': ['ack_wait=__proto__&max_deliver=constructor', /__proto__/],
  'text that runs backwards': [`ack_wait=${code('\u202e\u2066s5')}`, /ack_wait/],
  'characters of no width': [`ack_wait=${code('5\u200b\u200d\ufeffs')}`, /ack_wait/],
  'a tower of accents': [`ack_wait=${code(`e${'\u0301'.repeat(200)}`)}`, /ack_wait/],
  'letters that look like others': [`${SLUG}.${code('аck_wait')}=8s`, /аck_wait/],
  'signs beyond the plane': [`ack_wait=${code('👩‍👩‍👧‍👦🏴‍☠️')}`, /ack_wait/],
  'nothing, many times': ['=&=&&&=&?=?&&;&', /not a setting/],
  'keys of nobody': ['utm_source=x&<script>=1&onerror=alert(1)', /utm_source.*<script>/],

  // What the simulator must not choke on: it refuses, or it stops the run, and says so.
  'a stopwatch of a nanosecond': ['ack_wait=1ns', undefined],
  'a list the server refuses': ['backoff=1s,2s,3s&max_deliver=2', undefined, SLUG, /max.deliver/],
  'four billion in a batch': [`${BATCH}.batch=4294967295`, /batch.*4294967295/, BATCH],
  'four billion workers': [`${BATCH}.b=4294967295`, /4294967295/, BATCH],
  'a beat every nanosecond': [`${SLOW}.in_progress_every=1ns`, undefined, SLOW, /events/],
  'the longest work at the quickest beat': [`${SLOW}.work=24h&${SLOW}.in_progress_every=1ns&${SLOW}.ack_wait=1ns`, undefined, SLOW, /events/],
  'work for three centuries': [`${SLOW}.work=2562047h`, /work.*2562047 h is too long/, SLOW],
};

/** What tries to get through leaves a trace here. */
const trap = (page) => page.addInitScript(() => {
  globalThis.violations = [];
  addEventListener('securitypolicyviolation', ({ violatedDirective, sample }) => {
    globalThis.violations.push(`${violatedDirective} ${sample}`);
  });
  for (const name of ['alert', 'confirm', 'prompt']) globalThis[name] = () => { globalThis.pwned = name; };
});

const traces = (page) => page.evaluate(() => ({
  pwned: globalThis.pwned ?? {}.pwned ?? null,
  violations: globalThis.violations,
  // Markup that came from the address: nothing of the book is in a lab by these means.
  markup: [...document.querySelectorAll('section.lab :is(script, img, iframe, style, object, embed, link, base, [onload], [onerror], [onfocus], [autofocus], [href^="javascript:"])')]
    .map((element) => element.outerHTML.slice(0, 100)),
}));

const NOTHING = { pwned: null, violations: [], markup: [] };

test('no address runs script, breaks a lab, or goes without an answer', async (t) => {
  const started = await browser(t);
  const home = await hosted(t);
  const page = await open(started, home + CHAPTER, { before: trap });

  // The traps hold: what they are for does leave a trace.
  await liveLab(page, SLUG);
  await page.evaluate(() => {
    document.querySelector('section.lab').insertAdjacentHTML('beforeend', '<img src="data:," onerror="globalThis.pwned = 1">');
  });
  await page.waitForFunction(() => globalThis.violations.length > 0);
  const caught = await traces(page);
  assert.ok(caught.violations.length > 0 && caught.markup.length === 1, JSON.stringify(caught));

  for (const [name, [query, said, slug = SLUG, why]] of Object.entries(CASES)) {
    await t.test(name, { timeout: 60_000 }, async () => {
      page.faults.length = 0;
      const began = Date.now();
      // A page apart each time: no hash of the same page that would not load anew.
      await page.goto('about:blank');
      await page.goto(`${home}${CHAPTER}?${query}`);
      const lab = await liveLab(page, slug);
      const took = Date.now() - began;

      const notices = await lab.notices();
      if (said) assert.match(notices.join(' '), said);
      else assert.deepEqual(notices, []);
      const refused = await lab.refused();
      if (why) assert.match(refused, why);
      else assert.equal(refused, '');
      // Junk is not poured over the reader, and cannot turn our own words around.
      assert.ok(notices.length <= 5, `${notices.length} sentences`);
      for (const notice of notices) {
        assert.ok(notice.length < 250, notice);
        assert.doesNotMatch(notice, /[\u0000-\u001f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u);
      }

      // The lab is a lab: it tells, steps and turns, and its address is one again.
      const ends = await lab.section.evaluate((section) => [section.scrollWidth - section.clientWidth, document.documentElement.scrollWidth - innerWidth]);
      assert.ok(Math.max(...ends) <= 0, `wider than the page: ${ends}`);
      await lab.button('Next event').focus();
      await page.keyboard.press('Home');
      await lab.settled();
      const start = await lab.caption();
      await lab.button('Next event').click();
      await lab.settled();
      assert.notEqual(await lab.caption(), start, 'a step shows something');
      await lab.button('Reset').click();
      await lab.settled();
      assert.equal(await lab.refused(), '');

      assert.deepEqual(await traces(page), NOTHING);
      assert.deepEqual(page.faults, []);
      assert.ok(took < 10_000, `live after ${took} ms`);
    });
  }
});
