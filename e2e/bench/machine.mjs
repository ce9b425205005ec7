// What tells a slow page from a busy machine: a loop that always does the same, the load, and medians.

import { availableParallelism, loadavg } from 'node:os';

/** The value below which the share `q` of `values` lies; none of none. */
export function quantile(values, q) {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at - Math.floor(at));
}

export const median = (values) => quantile(values, 0.5);

/** Milliseconds of a fixed integer loop, the median of five. */
function loop() {
  return median(Array.from({ length: 5 }, () => {
    const start = performance.now();
    let x = 1;
    for (let i = 0; i < 2e7; i += 1) x = (Math.imul(x, 31) + i) | 0;
    return performance.now() - start + (x === 0 ? 1e-9 : 0);
  }));
}

/** One line on the machine as it is now. */
export const machine = () =>
  `${availableParallelism()} cores, load ${loadavg()[0].toFixed(2)}, calibration loop ${loop().toFixed(1)} ms`;

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
