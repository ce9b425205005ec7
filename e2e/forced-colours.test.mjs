// With the reader's own few colours forced on the page everything can still be read, found and operated.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './support/axe.mjs';
import { browser, open } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

/** Everything in a lab that is too faint against the reader's paper, and every control without an edge. */
const faint = (section) => section.evaluate((lab) => {
  const probe = document.body.appendChild(document.createElement('span'));
  const resolved = (colour) => {
    probe.style.color = colour;
    return getComputedStyle(probe).color;
  };
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\d.]+/g).slice(0, 3).map((part) => {
      const share = Number(part) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const paper = resolved('Canvas');
  const found = [];
  const seen = (element) => element.getClientRects().length > 0;
  let texts = 0;
  for (const text of [...lab.querySelectorAll('svg.scene text')].filter(seen)) {
    texts += 1;
    // Text on a mark is drawn over that mark; what lies on the paper needs the paper's contrast.
    const { fill, stroke, paintOrder } = getComputedStyle(text);
    const behind = text.previousElementSibling;
    const onMark = behind && /^(rect|circle|path)$/.test(behind.tagName) && getComputedStyle(behind).fill !== 'none';
    const ground = onMark ? getComputedStyle(behind).fill : paper;
    if (contrast(fill, ground) < 4.5 && contrast(fill, paper) < 4.5 && !(paintOrder.startsWith('stroke') && contrast(fill, stroke) >= 4.5)) {
      found.push(`text ${text.textContent} ${fill} on ${ground}`);
    }
  }
  let controls = 0;
  for (const control of [...lab.querySelectorAll('button, select, input:not([type=range], [type=radio], [type=checkbox])')].filter(seen)) {
    controls += 1;
    const { borderTopStyle, borderTopColor, borderTopWidth, backgroundColor, outlineStyle } = getComputedStyle(control);
    const edge = borderTopStyle !== 'none' && parseFloat(borderTopWidth) > 0 && contrast(borderTopColor, paper) >= 3;
    const inText = control.closest('td') !== null && getComputedStyle(control).textDecorationLine !== 'none';
    if (!edge && !inText && contrast(backgroundColor, paper) < 3 && outlineStyle === 'none') {
      found.push(`no edge: ${control.outerHTML.slice(0, 100)}`);
    }
  }
  probe.remove();
  return { found, texts, controls, forced: matchMedia('(forced-colors: active)').matches };
});

for (const colorScheme of ['light', 'dark']) {
  test(`${colorScheme}: texts of pictures, controls, focus and the current row can be told`, async (t) => {
    const page = await open(await browser(t), (await hosted(t)) + CHAPTER, { colorScheme, forcedColors: 'active' });
    for (const slug of LABS) {
      const lab = await liveLab(page, slug);
      const { found, texts, controls, forced } = await faint(lab.section);
      assert.ok(forced && texts > 5 && controls > 3, `${slug}: ${texts} texts, ${controls} controls`);
      assert.deepEqual(found, [], slug);
    }
    const lab = await liveLab(page, LABS[0]);

    await lab.button('Next event').focus();
    await page.keyboard.press('Tab');
    const ring = await page.evaluate(() => {
      const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
      return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
    });
    assert.ok(ring, 'the focus is seen');

    await lab.openEvents();
    await lab.button('Next event').click();
    await lab.settled();
    const rows = await lab.section.locator('details.events tbody tr').evaluateAll((all) => all.map((row) => {
      const { outlineStyle, borderTopStyle, backgroundColor, fontWeight } = getComputedStyle(row);
      return { now: row.hasAttribute('aria-current'), look: [outlineStyle, borderTopStyle, backgroundColor, fontWeight].join() };
    }));
    const now = rows.filter((row) => row.now);
    assert.equal(now.length, 1);
    assert.ok(rows.every((row) => row.now || row.look !== now[0].look), 'the current row looks like any other');

    assert.deepEqual(await violations(page), []);
    assert.deepEqual(page.faults, []);
  });
}
