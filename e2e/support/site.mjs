// The built sites under test, and the pages of one.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from './server.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The root of the project. */
export const PROJECT = root;

const built = (folder) => {
  const path = resolve(folder);
  if (!existsSync(join(path, 'index.html'))) {
    throw new Error(`There is no site in ${path}. Build it, or run everything: cargo xtask test.`);
  }
  return path;
};

/** The site as any host gets it: relative links. */
export const site = () => built(process.env.SITE ?? join(root, 'dist'));

/** The site built with `--public-url /x/`. */
export const siteX = () => built(process.env.SITE_X ?? join(root, 'target', 'dist-x'));

/** The chapter with the labs. */
export const CHAPTER = 'the-stopwatch/';

/** Its labs, in order. */
export const LABS = ['crash-redelivery', 'batch-ageing', 'slow-or-dead'];

/** The chapters of the site in whose HTML this stands, as addresses from its front page. */
export function chaptersWith(part) {
  const folder = site();
  const pages = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'index.html')));
  const having = pages.filter((name) => {
    const html = readFileSync(join(folder, name, 'index.html'), 'utf8');
    return html.includes('class="chapter"') && html.includes(part);
  });
  if (having.length === 0) throw new Error(`No chapter of the site in ${folder} has ${part}.`);
  return having.map((name) => `${name}/`);
}

/** Serves the site for a test file: its address, closed when the file is done. */
export async function hosted(t, folder = site(), prefix = '/', headers = {}) {
  const host = await serve(folder, prefix, { headers });
  t.after(() => host.close());
  return host.url;
}
