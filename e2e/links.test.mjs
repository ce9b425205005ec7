// Every link, anchor and file of the site is there, wherever the site is put, and nothing comes from elsewhere.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { hosted, site, siteX } from './support/site.mjs';

/** What a page names: links to follow, and ids that links may end in. */
const named = (page) => page.evaluate(() => ({
  links: [...document.querySelectorAll('[href], [src]')].map((element) => ({
    url: new URL(element.getAttribute('href') ?? element.getAttribute('src'), document.baseURI).href,
    from: element.outerHTML.slice(0, 120),
  })),
  ids: [...document.querySelectorAll('[id]')].map((element) => element.id),
  labs: [...document.querySelectorAll('section.lab')].map((element) => element.id),
}));

const isPage = (url) => /(\/|\.html)$/.test(new URL(url).pathname);

/** Opens every page that can be reached from the first, makes its labs live, and returns what is broken. */
async function crawl(started, first) {
  const { origin } = new URL(first);
  const broken = [];
  const pages = new Map();
  const queue = [first];
  while (queue.length > 0) {
    const url = queue.shift();
    if (pages.has(url)) continue;
    const page = await open(started, url);
    const found = await named(page);
    pages.set(url, found);
    for (const slug of found.labs) await liveLab(page, slug);
    broken.push(...page.faults.map((fault) => `${url}: ${fault}`));
    await page.context().close();
    for (const { url: link, from } of found.links) {
      const target = new URL(link);
      if (target.protocol === 'data:') continue;
      if (target.origin !== origin) continue;
      if (!target.href.startsWith(first)) broken.push(`${url}: leaves the place of the site: ${from}`);
      target.hash = '';
      target.search = '';
      if (isPage(target.href) && !queue.includes(target.href)) queue.push(target.href);
    }
  }
  const files = new Map();
  for (const [url, { links }] of pages) {
    for (const { url: link, from } of links) {
      const target = new URL(link);
      if (target.origin !== origin) continue;
      const fragment = decodeURIComponent(target.hash.slice(1));
      target.hash = '';
      target.search = '';
      if (!pages.has(target.href) && !files.has(target.href)) files.set(target.href, (await fetch(target)).status);
      const status = files.get(target.href) ?? 200;
      if (status !== 200) broken.push(`${url}: ${status} for ${from}`);
      const page = pages.get(target.href);
      if (fragment && page && !page.ids.includes(fragment)) broken.push(`${url}: no anchor for ${from}`);
    }
  }
  return { broken, pages: pages.size, labs: [...pages.values()].flatMap(({ labs }) => labs).length };
}

for (const [name, folder, prefix] of [
  ['the site at /', site, '/'],
  ['the same site under /x/', site, '/x/'],
  ['the site built for /x/', siteX, '/x/'],
]) {
  test(`${name} has no broken link, and asks for nothing from elsewhere`, async (t) => {
    const started = await browser(t);
    const { broken, pages, labs } = await crawl(started, await hosted(t, folder(), prefix));
    assert.deepEqual(broken, []);
    // It went through the book, not past it.
    assert.ok(pages >= 2 && labs >= 3, `${pages} pages with ${labs} labs`);
  });
}

test('an address that is nearly there is told which page may have been meant', async (t) => {
  const started = await browser(t);
  const home = await hosted(t, siteX(), '/x/');
  for (const path of ['the-stopwach/', 'chapters/the-stopwatch.html', 'stopwatch/the-stopwatch-2/']) {
    const page = await open(started, home + path);
    await page.locator('.meant').getByRole('link').click();
    await page.waitForURL(`${home}the-stopwatch/`);
    await page.context().close();
  }
  const page = await open(started, `${home}zzzzzzzz/`);
  await page.waitForLoadState('networkidle');
  assert.ok(!(await page.locator('.meant').isVisible()));
});

test('an address that is not there gets a page that says so and leads back', async (t) => {
  const started = await browser(t);
  const home = await hosted(t, siteX(), '/x/');
  for (const path of ['nowhere', 'the-stopwatch/nowhere/at/all']) {
    const page = await open(started, home + path);
    // The answer itself is a 404, as it must be.
    assert.deepEqual(page.faults.filter((fault) => !fault.includes('404')), []);
    assert.equal(page.faults.filter((fault) => fault.startsWith('404:')).length, 1, page.faults.join('\n'));
    await page.getByRole('main').getByRole('link').first().click();
    await page.waitForURL((url) => url.href.startsWith(home) && !url.href.endsWith(path));
    await page.context().close();
  }
});
