// For readers that are programs: a twin of each page in Markdown, the list of them, the map of the site, and what a link shows.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { siteWith } from './support/book.mjs';
import { browser, open } from './support/browser.mjs';
import { CHAPTER, LABS, hosted, siteX } from './support/site.mjs';

const get = async (url) => {
  const answer = await fetch(url);
  assert.equal(answer.status, 200, url);
  return answer;
};

for (const [name, folder, prefix] of [['at /', undefined, '/'], ['built for /x/', siteX, '/x/']]) {
  test(`the site ${name}: every page has a twin, and the list names them`, async (t) => {
    const home = await hosted(t, folder?.(), prefix);
    const page = await open(await browser(t), home);
    const chapters = await page.locator('.book .chapters [data-chapter] > a').evaluateAll((links) => links.map(({ href }) => href));
    const list = await (await get(`${home}llms.txt`)).text();
    assert.match(list, /^# .+\n\n> .+\n\n/);
    // Without an address of the site the list leads from where it is.
    const named = [...list.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => new URL(link, `${home}llms.txt`).href);
    for (const url of [home, ...chapters]) {
      await page.goto(url);
      const twin = await page.locator('link[rel=alternate][type="text/markdown"]').evaluate(({ href }) => href);
      assert.equal(twin, `${url}index.md`);
      const text = await (await get(twin)).text();
      const heading = await page.locator('main h1').innerText();
      assert.ok(text.replace(/\\/g, '').includes(`# ${heading}`), twin);
      const prose = text.replace(/^ *```[^]*?^ *```$/gm, '');
      assert.doesNotMatch(prose, /<\/?(div|p|span|section|svg)\b|\{\{|:::|:(result|msg|term)\[/, twin);
      if (url !== home) assert.ok(named.includes(twin), `${twin} is not in the list`);
      // Links between twins lead to twins.
      for (const [, link] of text.matchAll(/\]\(([^)#?]+\.md)(?:#[^)]*)?\)/g)) await get(new URL(link, twin));
    }
    const text = await (await get(`${home}${CHAPTER}index.md`)).text();
    for (const slug of LABS) assert.ok(text.includes(`](./#${slug})`), slug);
    assert.match(text, /\| `ack_wait` \| 5 s \|/);
  });
}

test('a link to a chapter shows a picture of its own figure', async (t) => {
  const home = await hosted(t);
  const page = await open(await browser(t), home + CHAPTER);
  const meta = (property) => page.locator(`meta[property="og:${property}"]`).getAttribute('content');
  assert.equal(await meta('type'), 'article');
  const picture = new URL(await meta('image'), page.url()).href;
  assert.equal(picture, `${home}${CHAPTER}preview.png`);
  const size = await page.evaluate(async (url) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    return [image.naturalWidth, image.naturalHeight];
  }, picture);
  assert.deepEqual(size, [Number(await meta('image:width')), Number(await meta('image:height'))]);
  const bytes = (await (await get(picture)).arrayBuffer()).byteLength;
  assert.ok(bytes > 10_000 && bytes <= 100_000, `${bytes} bytes`);
  assert.notEqual(bytes, (await (await get(`${home}preview.png`)).arrayBuffer()).byteLength);
  const manifest = await (await get(`${home}site.webmanifest`)).json();
  for (const { src } of manifest.icons) await get(home + src);
  assert.equal(new URL(manifest.start_url, `${home}site.webmanifest`).href, home);
  assert.deepEqual(page.faults, []);
});

test('where the address is known there is a map, and each page says where it belongs', async (t) => {
  const { folder, close } = await siteWith({}, undefined, 'site = "https://example.org/lab/"');
  t.after(close);
  const home = await hosted(t, folder);
  const map = await (await get(`${home}sitemap.xml`)).text();
  const places = [...map.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, place]) => place);
  assert.ok(places.length > 2 && new Set(places).size === places.length);
  assert.match(await (await get(`${home}robots.txt`)).text(), /\nSitemap: https:\/\/example\.org\/lab\/sitemap\.xml\n$/);
  const page = await open(await browser(t), home);
  for (const place of places) {
    await page.goto(place.replace('https://example.org/lab/', home));
    assert.equal(await page.locator('link[rel=canonical]').getAttribute('href'), place);
    assert.equal(await page.locator('meta[property="og:url"]').getAttribute('content'), place);
  }
  assert.ok((await (await get(`${home}llms.txt`)).text()).includes(`](https://example.org/lab/${CHAPTER}index.md)`));
  assert.deepEqual(page.faults, []);
});

test('where it is not known, nothing is made up', async (t) => {
  const home = await hosted(t);
  assert.equal((await fetch(`${home}sitemap.xml`)).status, 404);
  assert.doesNotMatch(await (await get(`${home}robots.txt`)).text(), /Sitemap/);
  assert.doesNotMatch(await (await get(home + CHAPTER)).text(), /canonical/);
});
