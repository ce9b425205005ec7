// What a reader sees can be copied: as a link, as an iframe for another page, as Markdown for a message.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { around, liveFramed } from './support/host.mjs';
import { liveLab, words } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

const AS = { link: 'Copy link', iframe: 'Copy as iframe', markdown: 'Copy as Markdown' };

/** Presses a button and returns what is in the clipboard then. */
async function copied(page, lab, as) {
  await page.bringToFront();
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await lab.button(AS[as]).click();
  const text = await until('something in the clipboard', () => page.evaluate(() => navigator.clipboard.readText()));
  await until('a word that it is done', async () => /copied\.$/.test(await lab.section.getByRole('group', { name: 'Copy' }).getByRole('status').innerText()));
  return text;
}

const permissions = ['clipboard-read', 'clipboard-write'];

test('an iframe of any lab of a page shows what its sender saw', async (t) => {
  const started = await browser(t);
  const home = await hosted(t);
  for (const [place, slug] of LABS.entries()) {
    const page = await open(started, `${home}${CHAPTER}?utm=x`, { permissions });
    // Something else on the page is set as well, and does not travel.
    await (await liveLab(page, LABS[(place + 1) % LABS.length])).knobs().first().press('Home');
    const lab = await liveLab(page, slug);
    const knob = lab.knobs().first();
    await knob.press('ArrowRight');
    await lab.button('Next event').click();
    // At once: the address is written a moment after the last change.
    const code = await copied(page, lab, 'iframe');
    const [tag, src] = /^<iframe src="([^"]+)" title="[^"<>]+" width="100%" height="\d+" loading="lazy" allow="clipboard-write" style="border:0"><\/iframe>$/.exec(code) ?? assert.fail(code);
    assert.ok(src.startsWith(`${home}embed/${slug}/?`), src);
    const keys = [...new URL(src.replaceAll('&amp;', '&')).searchParams.keys()];
    assert.ok(keys.includes('t') && keys.every((key) => /^[a-z0-9_]+$/.test(key) && key !== 'utm'), `only its own, under short keys: ${src}`);
    const host = await around(t, started, tag);
    const received = await liveFramed(host, slug);
    const sent = await lab.state();
    const got = await received.state();
    assert.deepEqual({ ...got, picture: '' }, { ...sent, picture: '' }, src);
    assert.deepEqual(await received.notices(), [], src);
    assert.deepEqual(host.wrong(home), []);
    assert.deepEqual(page.faults, []);
    await page.context().close();
    await host.context().close();
  }
});

test('Markdown has a link, the settings in words and the conclusion', async (t) => {
  const started = await browser(t);
  const home = await hosted(t);
  const page = await open(started, `${home}${CHAPTER}?t=3s#x`, { permissions });
  const lab = await liveLab(page, LABS[0]);
  await lab.turn('ack_wait', /^10 s/);
  const text = await copied(page, lab, 'markdown');
  const title = words(await lab.section.locator('h2').innerText());
  const [link, settings, result, end] = text.split(/\n+/);
  const [, label, url] = /^\[(.*)\]\((.*)\)$/.exec(link) ?? assert.fail(text);
  assert.equal(label, title);
  assert.equal(url, `${home}${CHAPTER}?ack_wait=10s&t=3s#${LABS[0]}`);
  assert.match(settings, /^With `ack_wait` 10 s; `backoff` none; `max_deliver` no limit; run 3 starts at 8 s; .*; at T\+3\.0 s\.$/);
  assert.equal(result, words(await lab.section.locator('.say').innerText()));
  assert.equal(end, '');
  // What is on screen while the settings are refused is another run: then the refusal stands there.
  const refused = await open(started, `${home}${CHAPTER}?backoff=1s,2s,4s&max_deliver=2`, { permissions });
  const other = await liveLab(refused, LABS[0]);
  const why = words(await other.section.locator('div.note.wrong:visible').innerText());
  assert.match(why, /10116/);
  const said = words((await copied(refused, other, 'markdown')).replace(/[\\`]/g, ''));
  const [, reason] = /10116 (.*length of backoff values)/.exec(why);
  assert.ok(said.includes(reason), said);
});

test('a link copied from an embed leads to the chapter, where the lab has keys with its name', async (t) => {
  const started = await browser(t);
  const home = await hosted(t);
  for (const slug of LABS) {
    const page = await open(started, `${home}embed/${slug}/?t=1s&theme=dark`, { permissions });
    const lab = await liveLab(page, slug);
    const link = await copied(page, lab, 'link');
    assert.equal(link, `${home}${CHAPTER}?${slug}.t=1s#${slug}`);
    assert.match(await copied(page, lab, 'iframe'), new RegExp(`src="${home}embed/${slug}/\\?t=1s"`));
    const other = await open(started, link);
    const received = await liveLab(other, slug);
    assert.equal(await received.caption(), await lab.caption());
    assert.deepEqual(await received.notices(), []);
    assert.deepEqual([...page.faults, ...other.faults], []);
    await page.context().close();
    await other.context().close();
  }
});

test('on a page below a prefix and on the front page the iframe leads into the same site', async (t) => {
  const started = await browser(t);
  const home = await hosted(t, undefined, '/x/');
  for (const path of ['', CHAPTER]) {
    const page = await open(started, home + path, { permissions });
    const code = await copied(page, await liveLab(page, LABS[0]), 'iframe');
    assert.ok(code.startsWith(`<iframe src="${home}embed/${LABS[0]}/" `), code);
    await page.context().close();
  }
});

test('a title with quotes, brackets and ampersands stays a title', async (t) => {
  const started = await browser(t);
  const page = await open(started, (await hosted(t)) + CHAPTER, { permissions });
  const lab = await liveLab(page, LABS[0]);
  const title = '"A" & <b>[x](y)</b> `c` *d* _e_ \\f';
  await lab.section.locator('h2').evaluate((heading, text) => { heading.textContent = text; }, title);
  const code = await copied(page, lab, 'iframe');
  // Read by a page whose policy lets it read anything.
  const blank = await page.context().newPage();
  const read = await blank.evaluate((text) => {
    const { body } = new DOMParser().parseFromString(text, 'text/html');
    return { title: body.firstChild.title, src: body.firstChild.getAttribute('src'), inside: body.childNodes.length };
  }, code);
  await blank.close();
  assert.equal(read.title, title);
  assert.equal(read.inside, 1);
  const markdown = await copied(page, lab, 'markdown');
  assert.ok(markdown.startsWith('["A" \\& \\<b\\>\\[x\\](y)\\</b\\> \\`c\\` \\*d\\* \\_e\\_ \\\\f]('), markdown);
  assert.deepEqual(page.faults, []);
});

test('where the clipboard is closed the text stands selected', async (t) => {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER, {
    before: (one) => one.addInitScript(() => { Object.defineProperty(navigator, 'clipboard', { value: undefined }); }),
  });
  const lab = await liveLab(page, LABS[0]);
  const field = lab.section.getByRole('textbox', { name: 'Text to copy' });
  assert.ok(!(await field.isVisible()));
  for (const [as, begins] of [['link', 'http://127'], ['iframe', '<iframe src="http://127'], ['markdown', '[']]) {
    await lab.button(AS[as]).click();
    await until('the text', () => field.isVisible());
    const { value, chosen, active } = await field.evaluate((area) => ({
      value: area.value, chosen: area.value.slice(area.selectionStart, area.selectionEnd), active: document.activeElement === area,
    }));
    assert.ok(value.startsWith(begins), value);
    assert.equal(chosen, value);
    assert.ok(active, 'ready for Ctrl-C');
  }
  assert.deepEqual(page.faults, []);
});
