// No accessibility rule of axe is broken: light and dark, phone and desk, labs live, everything open.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './support/axe.mjs';
import { browser, open } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { CHAPTER, LABS, chaptersWith, hosted } from './support/site.mjs';

const EMBED = `embed/${LABS[0]}/`;

for (const colorScheme of ['light', 'dark']) {
  for (const width of [390, 1280]) {
    test(`${colorScheme}, ${width} px: no violation`, async (t) => {
      const home = await hosted(t);
      const started = await browser(t);
      const view = { colorScheme, viewport: { width, height: 900 } };
      for (const path of ['', CHAPTER, 'symptoms/', 'settings/', 'glossary/', chaptersWith('class="tabs"')[0], 'nowhere', 'embed/?lab=none', EMBED]) {
        const page = await open(started, home + path, view);
        assert.deepEqual(await violations(page), [], `/${path}`);
        if (path === CHAPTER) {
          for (const slug of LABS) await (await liveLab(page, slug)).openEvents();
          await page.evaluate(() => document.querySelectorAll('details').forEach((details) => { details.open = true; }));
          assert.deepEqual(await violations(page), [], `/${path}, labs live, everything open`);
          const noted = await open(started, `${home}${path}?ack_wait=banana`, view);
          await liveLab(noted, LABS[0]);
          assert.deepEqual(await violations(noted), [], `/${path}, with a notice`);
          await noted.context().close();
        }
        if (path === EMBED) {
          const lab = await liveLab(page, LABS[0]);
          await lab.openEvents();
          await page.evaluate(() => document.querySelectorAll('details').forEach((details) => { details.open = true; }));
          await page.evaluate(() => { Object.defineProperty(navigator, 'clipboard', { value: undefined }); });
          await lab.button('Copy as Markdown').click();
          await lab.section.getByRole('textbox', { name: 'Text to copy' }).waitFor();
          assert.deepEqual(await violations(page), [], `/${path}, live, everything open`);
        }
        await page.context().close();
      }
    });
  }
}
