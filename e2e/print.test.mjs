// On paper: the text, each figure with its picture and its account, and nothing that needs a screen.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

/** How many colours a screenshot has, and how much of it is not its most common one. */
async function inked(page, png) {
  const blank = await page.context().newPage();
  const found = await blank.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
    canvas.drawImage(image, 0, 0);
    const pixels = new Uint32Array(canvas.getImageData(0, 0, image.width, image.height).data.buffer);
    const counts = new Map();
    for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
    const [[paper, most]] = [...counts].sort((a, b) => b[1] - a[1]);
    return { colours: counts.size, share: 1 - most / pixels.length, paper: (paper & 0xffffff).toString(16) };
  }, png.toString('base64'));
  await blank.close();
  return found;
}

/** What of a page can be seen. */
const seen = (page) => page.evaluate(() => {
  const shown = (selector) => [...document.querySelectorAll(selector)]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0);
  return {
    // A radio button beside an answer is on paper a place for a cross.
    controls: shown('section.lab :is(button, input:not([type=radio]), select, textarea, [role=slider])').map((element) => element.outerHTML.slice(0, 100)),
    around: shown('.skip, header.top, header.book, nav').map((element) => element.outerHTML.slice(0, 100)),
    pictures: shown('section.lab svg.scene').map((svg) => svg.closest('section').id),
    accounts: shown('section.lab .account p').filter((p) => p.textContent.length > 100).map((p) => p.closest('section').id),
    questions: shown('section.lab .ask').map((p) => p.closest('section').id),
    prose: shown('main p').length,
  };
});

for (const [name, options, live] of [
  ['as it was written', { javaScriptEnabled: false }, false],
  ['with its figures live', {}, true],
  ['from a dark screen', { colorScheme: 'dark' }, true],
  ['from a phone', { viewport: { width: 390, height: 800 } }, true],
]) {
  test(`the chapter prints ${name}`, async (t) => {
    const page = await open(await browser(t), (await hosted(t)) + CHAPTER, options);
    if (live) for (const slug of LABS) await liveLab(page, slug);
    const onScreen = await seen(page);
    assert.ok(!live || onScreen.controls.length > 5, 'there is something to hide');

    await page.emulateMedia({ media: 'print' });
    // What is built only for paper comes with the next frame.
    await until('the accounts', async () => (await seen(page)).accounts.length === LABS.length);
    const { controls, around, pictures, accounts, questions, prose } = await seen(page);
    assert.deepEqual(controls, []);
    assert.deepEqual(around, []);
    assert.deepEqual(pictures, LABS, 'one picture of each lab');
    assert.deepEqual(accounts, LABS);
    assert.deepEqual(questions, LABS);
    assert.ok(prose > 20);
    for (const slug of LABS) {
      const picture = page.locator(`#${slug} svg.scene:visible`);
      const { colours, share, paper } = await inked(page, await picture.screenshot());
      assert.ok(colours > 8 && share > 0.01, `${slug}: ${colours} colours, ${share} inked`);
      // Ink on white, whatever the screen was.
      assert.equal(paper, 'ffffff', slug);
    }
    const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
    const sheets = pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    assert.ok(sheets >= 3 && sheets < 30, `${sheets} sheets`);
    assert.deepEqual(page.faults, []);
  });
}
