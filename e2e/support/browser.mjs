// A real browser, and pages that note everything that goes wrong on them.

import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // Whatever a page asks for, nothing but this machine answers.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** How long anything may take to appear, in milliseconds: a slow, busy machine is no failure. */
export const PATIENCE = 20_000;

/** The browser's program. */
export const executable = () => {
  const path = process.env.CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(path)) throw new Error(`There is no browser at ${path}; set CHROMIUM to one.`);
  return path;
};

/** What it is started with. Chromium's sandbox cannot be used by root. */
export const flags = () => (process.getuid?.() === 0 ? [...FLAGS, '--no-sandbox'] : FLAGS);

/** Starts the browser for a test; it ends with the test. */
export async function browser(t) {
  const started = await chromium.launch({ executablePath: executable(), args: flags() });
  t.after(() => started.close());
  return started;
}

/**
 * Opens a page in a context of its own. `page.faults` lists errors on the console, uncaught exceptions, failed
 * or refused requests, and requests that leave `url`'s origin; `page.asked` every request.
 */
export async function open(started, url, options = {}) {
  // What a service worker keeps is looked at by itself, in offline.test.mjs.
  const context = await started.newContext({ viewport: { width: 1280, height: 900 }, serviceWorkers: 'block', ...options });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  watch(page, new URL(url).origin);
  if (options.before) await options.before(page);
  await page.goto(url);
  return page;
}

function watch(page, origin) {
  page.faults = [];
  page.asked = [];
  page.on('console', (message) => {
    if (message.type() === 'error') page.faults.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => page.faults.push(`exception: ${error.message}`));
  page.on('dialog', (dialog) => {
    page.faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = request.url();
    page.asked.push(url);
    if (!url.startsWith('data:') && new URL(url).origin !== origin) page.faults.push(`leaves the site: ${url}`);
  });
  page.on('requestfailed', (request) => {
    // A page that is left while it loads is no fault.
    const why = request.failure()?.errorText ?? '';
    if (why !== 'net::ERR_ABORTED') page.faults.push(`failed: ${request.url()} (${why})`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) page.faults.push(`${response.status()}: ${response.url()}`);
  });
}

/** Waits until `find` returns something true, and returns it; else fails saying what was awaited and what there was. */
export async function until(what, find, last = () => '') {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const found = await find();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited in vain for: ${what}. ${await last()}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
