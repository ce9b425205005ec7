// The accessibility rules of axe, on a page or a part of one.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules that the page, or the part that `within` selects, breaks, with the elements that do. */
export async function violations(page, within) {
  await page.evaluate(axe);
  const { violations: found, passes } = await page.evaluate((part) => globalThis.axe.run(part ?? document), within);
  assert.ok(passes.length > 10, 'axe looked at the page');
  return found.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map(({ html, failureSummary }) => `${html.slice(0, 160)} (${failureSummary})`).join(' | ')}`);
}
