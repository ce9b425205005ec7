// One question before the run: answers are judged by the run on screen, point to what decides, and hold nobody up.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open, until } from './support/browser.mjs';
import { liveLab, words } from './support/lab.mjs';
import { CHAPTER, LABS, hosted } from './support/site.mjs';

const [SLUG] = LABS;

async function start(t, options) {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER, options);
  const lab = await liveLab(page, SLUG);
  t.after(() => assert.deepEqual(page.faults, []));
  return { page, lab, ...parts(lab) };
}

const parts = (lab) => ({
  answers: lab.section.getByRole('radio'),
  status: lab.section.locator('.verdict').getByRole('status'),
  moment: lab.section.getByRole('button', { name: /^Show the moment/ }),
});

const said = async (status) => words(await status.innerText());

test('each answer is judged at once, exactly one is right, and another can be chosen', async (t) => {
  const { lab, answers, status, moment } = await start(t);
  assert.equal(await said(status), '');
  assert.equal(await moment.count(), 0);
  const verdicts = [];
  for (let i = 0; i < await answers.count(); i += 1) {
    await answers.nth(i).check();
    verdicts.push(await said(status));
    assert.ok(await answers.nth(i).isChecked());
    assert.match(await moment.innerText(), /T\+\d/);
  }
  assert.ok(verdicts.length >= 2 && verdicts.length <= 4, `${verdicts.length} answers`);
  assert.equal(verdicts.filter((text) => /^Right\. ./.test(text)).length, 1, verdicts.join('\n'));
  assert.equal(verdicts.filter((text) => /^Not so\. ./.test(text)).length, verdicts.length - 1, verdicts.join('\n'));
  // Nothing waited for it, and nothing is counted.
  assert.equal(await lab.button('Play').isEnabled(), true);
});

test('the verdict leads to the event that decides, by keyboard alone', async (t) => {
  const { page, lab, answers, status, moment } = await start(t);
  await answers.first().focus();
  await page.keyboard.press('Space');
  await until('a verdict', () => said(status));
  for (let i = 0; i < 4 && !/^Right/.test(await said(status)); i += 1) {
    await page.keyboard.press('ArrowDown');
    await lab.settled();
  }
  assert.match(await said(status), /^Right/);
  await page.keyboard.press('Tab');
  assert.ok(await moment.evaluate((button) => button === document.activeElement), 'the button is next');
  const at = /T\+[\d.]+ s/.exec(await moment.innerText())[0];
  await page.keyboard.press('Enter');
  await until(`the caption of ${at}`, async () => (await lab.caption()).startsWith(at), () => lab.caption());
  assert.match(await lab.caption(), /order-1 again, as delivery 2/);
});

test('with other settings the verdict is computed again', async (t) => {
  const { lab, answers, status, moment } = await start(t);
  const right = answers.nth(1);
  await right.check();
  assert.match(await said(status), /^Right\. /);
  assert.match(await moment.innerText(), /T\+8\.0 s/);
  // With 10 s the second delivery moves, and the answer stays right.
  await lab.turn('ack_wait', /^10 seconds$/);
  await until('a verdict on the settings', async () => /^Right with your settings/.test(await said(status)), () => said(status));
  assert.match(await moment.innerText(), /T\+10\.0 s/);
  // Delivered once at most, no run gets it again.
  await lab.section.getByRole('spinbutton', { name: 'max_deliver' }).fill('1');
  await until('another answer', async () => /^Not so with your settings\. It happens otherwise: /.test(await said(status)), () => said(status));
  await lab.button('Reset').click();
  await until('the book’s own words', async () => /^Right\. /.test(await said(status)), () => said(status));
});

test('a turned knob moves nothing above it', async (t) => {
  const { lab, answers, status } = await start(t);
  await answers.nth(1).check();
  const top = () => lab.knob('ack_wait').evaluate((knob) => Math.round(knob.getBoundingClientRect().top));
  await lab.knob('ack_wait').focus();
  const before = await top();
  const words_ = await said(status);
  await lab.turn('ack_wait', /^10 seconds$/);
  await until('another verdict', async () => (await said(status)) !== words_);
  assert.equal(await top(), before);
});

test('it can be ignored: a lab plays without an answer', async (t) => {
  const { lab, status } = await start(t);
  await lab.turn('ack_wait', /^10 seconds$/);
  await lab.button('Next event').click();
  assert.equal(await said(status), '');
});

test('when the program comes, the answers stay where they were', async (t) => {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER, {
    before: (page) => page.route('**/*.wasm', async (route) => {
      await new Promise((done) => { page.release = done; });
      await route.continue();
    }),
  });
  const place = () => page.locator(`#${SLUG} .predict`).evaluate((box) => {
    const { top, height } = box.getBoundingClientRect();
    return [Math.round(top + scrollY), Math.round(height), box.innerText];
  });
  await page.locator(`#${SLUG}`).scrollIntoViewIfNeeded();
  await until('the program to be asked for', () => page.release);
  const before = await place();
  page.release();
  await liveLab(page, SLUG);
  assert.deepEqual(await place(), before);
  assert.deepEqual(page.faults, []);
});

test('without JavaScript the answers are text, and what happens can be opened', async (t) => {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER, { javaScriptEnabled: false });
  for (const slug of LABS) {
    const lab = page.locator(`#${slug}`);
    assert.equal(await lab.getByRole('radio').count(), 0, slug);
    const texts = (await lab.locator('.answer').allInnerTexts()).map(words);
    assert.ok(texts.length >= 2, slug);
    const happens = lab.locator('details.happens');
    await happens.locator('summary').click();
    const told = words(await happens.locator('p').innerText());
    assert.equal(texts.filter((text) => told.startsWith(text)).length, 1, `${told}\n${texts.join('\n')}`);
    assert.ok(!(await lab.locator('.goals').isVisible()), `${slug}: goals that nobody can reach`);
  }
});
