// `cargo xtask bench-web`: what a lab costs a reader, in a real browser, as a table with the project's bars.
//
//   SITE=dist node bench/main.mjs [--lab SLUG] [--runs N] [--json FILE]
//
// Medians over the runs; of every run's p95 too. Nothing here is a test: the machine's load decides as well, and is told.

import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { browser } from '../support/browser.mjs';
import { MANY, many, siteWith } from '../support/book.mjs';
import { serve } from '../support/server.mjs';
import { CHAPTER, LABS, site } from '../support/site.mjs';
import { machine, median, quantile } from './machine.mjs';
import * as measure from './measure.mjs';
import { table } from './table.mjs';

const { values } = parseArgs({
  options: { lab: { type: 'string' }, runs: { type: 'string', default: '5' }, json: { type: 'string' } },
});
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 1) throw new Error(`--runs wants a whole number from 1 on, not ${values.runs}`);
const labs = [...LABS, MANY].filter((slug) => !values.lab || slug === values.lab);
if (labs.length === 0) throw new Error(`There is no lab ${values.lab}; there are ${[...LABS, MANY].join(', ')}.`);

/** The bars of the slider at 4×: a lab of two thousand messages may take longer. */
const turnBar = (slug) => (slug === MANY ? 100 : 50);

/** What is measured of each lab: its name, the bar, and how one run is made into one number. */
const rows = (slug) => [
  ['slider to picture, 1×, p50', undefined, 'ms', 'slider1', 0.5],
  ['slider to picture, 1×, p95', slug === MANY ? undefined : 16, 'ms', 'slider1', 0.95],
  ['slider to picture, 4×, p50', undefined, 'ms', 'slider4', 0.5],
  ['slider to picture, 4×, p95', turnBar(slug), 'ms', 'slider4', 0.95],
  ['animating, main thread, 1×', 40, 'ms/s', 'animating'],
  ['animating, frames, 4×, p50', undefined, 'ms', 'frames', 0.5],
  ['animating, frames, 4×, p95', 20, 'ms', 'frames', 0.95],
  ['paused', 1, 'ms/s', 'paused'],
  ['hidden', 1, 'ms/s', 'hidden'],
  ['off screen', 1, 'ms/s', 'offScreen'],
  ['live after first paint, 4×', 1_000, 'ms', 'live'],
];

const cleanups = [];
const later = { after: (act) => cleanups.push(act) };
try {
  console.log(`Before: ${machine()}`);
  const started = await browser(later);
  const folders = [site()];
  if (labs.includes(MANY)) {
    const more = await siteWith(await many());
    cleanups.push(more.close);
    folders.push(more.folder);
  }
  const hosts = await Promise.all(folders.map((folder) => serve(folder)));
  cleanups.push(...hosts.map((host) => host.close));

  const found = [];
  for (const slug of labs) {
    const home = (slug === MANY ? hosts.at(-1) : hosts[0]).url;
    const at = [started, home, CHAPTER, slug];
    const samples = {};
    for (let run = 0; run < runs; run += 1) {
      process.stderr.write(`\r${slug}: run ${run + 1} of ${runs} `);
      for (const [name, take] of [
        ['slider1', () => measure.slider(...at, 1)],
        ['slider4', () => measure.slider(...at, 4)],
        ['animating', () => measure.animating(...at)],
        ['frames', () => measure.frames(...at, 4)],
        ['paused', () => measure.paused(...at)],
        ['hidden', () => measure.hidden(...at)],
        ['offScreen', () => measure.offScreen(...at)],
        ['live', () => measure.live(...at, 4)],
      ]) (samples[name] ??= []).push(await take());
    }
    const phases = await measure.phases(...at, 4);
    process.stderr.write('\r\u001b[K');
    const measured = rows(slug).map(([name, bar, unit, from, q]) => {
      const each = samples[from].map((sample) => (q === undefined ? sample : quantile(sample, q)));
      return { name, bar, unit, value: median(each), low: Math.min(...each), high: Math.max(...each) };
    });
    found.push({ slug, measured, phases });
    console.log(table(slug, measured, phases));
  }
  console.log(`After: ${machine()}`);
  console.log(`Medians over ${runs} ${runs === 1 ? 'run' : 'runs'}, in brackets the lowest and highest. 4×: processor slowed down four times.`);
  if (values.json) await writeFile(values.json, `${JSON.stringify(found, null, 1)}\n`);
} finally {
  for (const act of cleanups.reverse()) await act();
}
