// The table of one lab: a line for each figure, with its bar and whether it holds.

const number = (value) => value.toFixed(value < 10 ? 2 : 1);

/** `measured`: name, value, lowest, highest, unit and bar of each figure; `phases`: where a turn of a slider goes. */
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
  const spent = phases.map(([name, ms]) => `${name} ${number(ms)}`).join(', ');
  return `\n${slug}\n${text.map((line) => `  ${line}`).join('\n')}\n  a turn of a slider at 4×, in ms: ${spent}`;
}
