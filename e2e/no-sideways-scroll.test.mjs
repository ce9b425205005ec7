// Nothing is wider than the screen, down to the smallest phone.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { CHAPTER, LABS, chaptersWith, hosted } from './support/site.mjs';

for (const width of [320, 390, 768, 1280]) {
  test(`at ${width} px no page scrolls sideways, before and after its labs are live`, async (t) => {
    const home = await hosted(t);
    const started = await browser(t);
    for (const path of ['', CHAPTER, 'symptoms/', 'settings/', 'glossary/', chaptersWith('class="tabs"')[0]]) {
      const page = await open(started, home + path, { viewport: { width, height: 800 } });
      const wide = () => page.evaluate((most) => {
        const over = document.documentElement.scrollWidth - most;
        if (over <= 0) return [];
        return [...document.querySelectorAll('body *')]
          .filter((element) => element.getBoundingClientRect().right > most + 0.5)
          .map((element) => `${element.outerHTML.slice(0, 80)} ends at ${element.getBoundingClientRect().right}`);
      }, width);
      assert.deepEqual(await wide(), [], `/${path}`);
      if (path === CHAPTER) {
        for (const slug of LABS) {
          const lab = await liveLab(page, slug);
          await lab.openEvents();
        }
        await page.evaluate(() => document.querySelectorAll('details').forEach((details) => { details.open = true; }));
        assert.deepEqual(await wide(), [], `/${path}, labs live and everything open`);
      }
      assert.deepEqual(page.faults, []);
      await page.context().close();
    }
  });
}
