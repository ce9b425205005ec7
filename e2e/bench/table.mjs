// The table of one lab: a line for each figure, with its bar and whether it holds.

import { quantile } from './machine.mjs';

const number = (value) => value.toFixed(value < 10 ? 2 : 1);

/** `measured`: name, value, lowest, highest, unit and bar of each figure; `phases`: what the turns of a slider took, and for what. */
export function table(slug, measured, phases) {
  const lines = measured.map(({ name, value, low, high, unit, bar }) => [
    name,
    `${number(value)} ${unit}`,
    `(${number(low)}–${number(high)})`,
    bar === undefined ? '' : `≤ ${bar} ${unit}`,
    bar === undefined ? '' : value <= bar ? 'ok' : 'OVER',
  ]);
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const text = lines.map((line) => line.map((cell, column) =>
    (column === 1 || column === 3 ? cell.padStart(widths[column]) : cell.padEnd(widths[column]))).join('  ').trimEnd());
  const spent = phases.work.map(([name, ms]) => `${name} ${number(ms)}`).join(', ');
  const [half, most] = [0.5, 0.95].map((q) => number(quantile(phases.turns, q)));
  return `\n${slug}\n${text.map((line) => `  ${line}`).join('\n')}
  processor time of a turn at 4×: p50 ${half}, p95 ${most} ms; on average ${spent}`;
}
