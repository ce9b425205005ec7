// Without a network: after a first visit the book is there, with its figures; a new edition takes over whole or not at all.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rename, symlink, mkdtemp, rm, readFile, readdir, writeFile, cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { serve } from './support/server.mjs';
import { CHAPTER, LABS, hosted, site, siteX } from './support/site.mjs';

const ALLOW = { serviceWorkers: 'allow' };

/** What is kept, by the edition: the places of the site in each store. */
const stores = (page, home) => page.evaluate(async (root) => {
  const out = {};
  for (const name of await caches.keys()) {
    out[name.split(' ').at(-1)] = (await (await caches.open(name)).keys()).map(({ url }) => url.slice(root.length)).sort();
  }
  return out;
}, home);

const edition = async (home) => /EDITION = '([^']+)'/.exec(await (await fetch(`${home}worker.js`)).text())[1];

/** Until the whole book of an edition is kept and nothing else. */
async function kept(page, home, chapters) {
  const own = await edition(home);
  await until(`the book to be kept as ${own}`, async () => {
    const all = await stores(page, home).catch(() => ({}));
    return Object.keys(all).join() === own && chapters.every((path) => all[own].includes(path));
  }, async () => JSON.stringify(await stores(page, home)));
  return own;
}

const chapters = (page, home) => page.locator('.book .chapters a').evaluateAll((links, root) => links.map((link) => new URL(link.href)).filter(({ hash }) => !hash).map(({ href }) => href.slice(root.length)), home);

for (const [name, folder, prefix] of [['at /', site, '/'], ['under /x/', site, '/x/'], ['built for /x/', siteX, '/x/']]) {
  test(`the site ${name}: after one visit the whole book is there without a network`, async (t) => {
    const home = await hosted(t, folder(), prefix);
    const page = await open(await browser(t), home + CHAPTER, ALLOW);
    const paths = await chapters(page, home);
    assert.ok(paths.length > 2);
    await kept(page, home, ['', ...paths]);
    assert.deepEqual(page.faults, []);
    await page.context().setOffline(true);
    // The page itself with its figures …
    await page.goto(`${home}${CHAPTER}?ack_wait=8s`);
    const lab = await liveLab(page, LABS[0]);
    assert.match(await lab.knob('ack_wait').getAttribute('aria-valuetext'), /^8 s/);
    // … every other …
    for (const path of ['', ...paths]) {
      await page.goto(home + path);
      assert.equal(await page.getByRole('main').count(), 1, path);
      assert.notEqual(await page.evaluate(() => getComputedStyle(document.querySelector('main')).display), 'block', `${path} has its styles`);
    }
    // … the search …
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search' }).fill('stopwatch');
    await until('results', async () => (await page.getByRole('option').count()) > 0);
    // … and of what is not there it is said.
    await page.goto(`${home}the-stopwatch/nowhere/at/all`);
    assert.equal(page.url(), `${home}offline/`);
    assert.match(await page.getByRole('heading', { level: 1 }).innerText(), /not kept/);
    await page.goto(home + CHAPTER.replace('/', ''));
    assert.equal(page.url(), home + CHAPTER);
    assert.deepEqual(page.faults.filter((fault) => !/ERR_INTERNET_DISCONNECTED|ERR_FAILED/.test(fault)), []);
  });
}

/** A host whose site can be exchanged as a whole. */
async function changing(t, first) {
  const folder = await mkdtemp(join(tmpdir(), 'delivery-lab-host-'));
  const current = join(folder, 'current');
  await symlink(first, current);
  const host = await serve(current);
  t.after(async () => {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  });
  const exchange = async (next) => {
    await symlink(next, join(folder, 'next'));
    await rename(join(folder, 'next'), current);
  };
  return { home: host.url, exchange };
}

test('a new edition takes over as a whole; a page of the old one that is still open has what it needs', async (t) => {
  // The second edition has another style sheet, another program, and another sentence on every page.
  const second = await another(t);
  const { home, exchange } = await changing(t, site());
  const started = await browser(t);
  const page = await open(started, home + CHAPTER, { ...ALLOW, viewport: { width: 900, height: 40 } });
  const paths = await chapters(page, home).then((all) => (all.length ? all : []));
  const first = await kept(page, home, ['', CHAPTER]);
  const files = () => page.evaluate(() => [document.querySelector('link[rel=stylesheet]').href, document.querySelector('[name=lab-assets]').dataset.wasm].map((one) => one.split('/').at(-1)));
  const before = await files();

  await exchange(second);
  const next = await edition(home);
  assert.notEqual(next, first);
  // Another page of the book brings the new edition; this one stays open as it is, its figure not yet live.
  const other = await page.context().newPage();
  await other.goto(home);
  await until('the new edition', async () => Object.keys(await stores(other, home)).includes(next), async () => JSON.stringify(await stores(other, home)));
  await until('its worker', () => other.evaluate(async () => !(await navigator.serviceWorker.getRegistration()).waiting && !(await navigator.serviceWorker.getRegistration()).installing));
  assert.ok(Object.keys(await stores(other, home)).includes(first), 'the old edition is kept while a page of it is open');
  // On the host its files are no more.
  assert.equal((await fetch(home + before[0])).status, 404);
  await liveLab(page, LABS[0]);
  assert.deepEqual(page.faults, []);

  // When that page is left, the old edition goes.
  await page.goto(home + CHAPTER);
  const after = await files();
  assert.ok(after.every((name, i) => name !== before[i]), `${before} and ${after}`);
  await other.goto(home);
  await until('the old edition to go', async () => Object.keys(await stores(other, home)).join() === next, async () => JSON.stringify(await stores(other, home)));

  // Without a network every page is of the new edition, and so is all that it asks for.
  await kept(other, home, ['', CHAPTER, ...paths]);
  await page.context().setOffline(true);
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  for (const path of ['', CHAPTER]) {
    await page.goto(home + path);
    assert.deepEqual(await files(), after, path);
    assert.match(await page.locator('.foot').innerText(), /Second edition/);
  }
  await liveLab(page, LABS[0]);
  for (const old of before) assert.ok(!asked.some((url) => url.endsWith(old)), `${old} was asked for`);
});

test('an edition that does not come whole does not come at all', async (t) => {
  const second = await another(t);
  // The style sheet of the new edition is not what its list says.
  const [sheet] = (await readdir(second)).filter((name) => /^style-.*\.css$/.test(name));
  await writeFile(join(second, sheet), 'p{color:red}');
  const { home, exchange } = await changing(t, site());
  const page = await open(await browser(t), home + CHAPTER, ALLOW);
  const first = await kept(page, home, ['', CHAPTER]);
  await exchange(second);
  await page.evaluate(async () => { await (await navigator.serviceWorker.getRegistration()).update().catch(() => {}); });
  await until('the new edition to fail', () => page.evaluate(async () => {
    const { installing, waiting } = await navigator.serviceWorker.getRegistration();
    return !installing && !waiting;
  }));
  await page.context().setOffline(true);
  await page.goto(home);
  assert.doesNotMatch(await page.locator('.foot').innerText(), /Second edition/);
  await page.goto(home + CHAPTER);
  await liveLab(page, LABS[0]);
  assert.ok(Object.keys(await stores(page, home)).includes(first));
});

test('a book that is being written is not kept, and one that was is let go', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'delivery-lab-written-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await cp(site(), folder, { recursive: true });
  const { home, exchange } = await changing(t, site());
  const page = await open(await browser(t), home, ALLOW);
  await kept(page, home, ['']);
  for (const name of ['index.html', join(CHAPTER, 'index.html')]) {
    const file = join(folder, name);
    await writeFile(file, (await readFile(file, 'utf8')).replace(/ data-worker="[^"]*"/, ''));
  }
  await exchange(folder);
  await page.goto(home);
  await until('no worker', () => page.evaluate(async () => !(await navigator.serviceWorker.getRegistration())));
});

/** A copy of the site that is another edition: each file whose name changes with its content has another name, and every page another foot. */
async function another(t) {
  const folder = await mkdtemp(join(tmpdir(), 'delivery-lab-second-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await cp(site(), folder, { recursive: true });
  const names = (await readdir(folder)).filter((name) => /^(style|delivery-lab)-/.test(name));
  const rewrite = (text) => names.reduce((all, name) => all.replaceAll(name, other(name)), text);
  const other = (name) => name.replace(/-([0-9a-f]+)/, (_, hash) => `-${[...hash].reverse().join('')}`);
  for (const name of names) await rename(join(folder, name), join(folder, other(name)));
  const pages = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.html'));
  for (const name of pages) {
    const file = join(folder, name);
    const text = rewrite(await readFile(file, 'utf8'));
    await writeFile(file, text.replace('<footer class="foot">', '<footer class="foot"><p>Second edition.</p>'));
  }
  const worker = join(folder, 'worker.js');
  let text = rewrite(await readFile(worker, 'utf8'));
  for (const [, path, digest] of [...text.matchAll(/^ +'([^']*)': '([^']+)',$/gm)]) {
    const file = join(folder, path === '' || path.endsWith('/') ? `${path}index.html` : path);
    const now = createHash('sha256').update(await readFile(file)).digest('base64');
    text = text.replace(`'${path}': '${digest}'`, `'${path}': '${now}'`);
  }
  await writeFile(worker, text.replace(/EDITION = '[^']+'/, "EDITION = 'second'"));
  return folder;
}
