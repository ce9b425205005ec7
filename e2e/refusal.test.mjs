// What the server refuses is said beside the knob that caused it, and the last run that worked stays on screen.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, open } from './support/browser.mjs';
import { liveLab, words } from './support/lab.mjs';
import { CHAPTER, hosted } from './support/site.mjs';

const SLUG = 'crash-redelivery';
const REFUSAL = /10116 max deliver is required to be > length of backoff values; allow at least as many/;

const note = async (lab, name) => words(await lab.section.locator(`#${lab.slug}-knob-${name}-note`).innerText());
const field = (lab, name) => lab.section.locator(`#${lab.slug}-knob-${name}`);

test('a backoff longer than max_deliver is refused beside the knob that was turned', async (t) => {
  const page = await open(await browser(t), `${await hosted(t)}${CHAPTER}?backoff=1s,2s,4s`);
  const lab = await liveLab(page, SLUG);
  const before = await lab.state();
  const limit = field(lab, 'max_deliver-text');
  await limit.fill('2');
  await lab.settled();
  assert.match(await note(lab, 'max_deliver'), REFUSAL);
  assert.ok(!REFUSAL.test(await note(lab, 'backoff')), 'it is said once');
  // Both are marked, and both lead a screen reader to the sentence.
  for (const control of [limit, field(lab, 'backoff')]) {
    assert.equal(await control.getAttribute('aria-invalid'), 'true');
    assert.equal(await control.getAttribute('aria-describedby'), `${SLUG}-knob-max_deliver-note`);
  }
  assert.match(await lab.refused(), /no run; the reason stands beside max_deliver.*the last run that worked/);
  const { caption, picture } = await lab.state();
  assert.deepEqual({ caption, picture }, { caption: before.caption, picture: before.picture });

  // Turned the other way round, it stands beside the backoff; then there is a run again and nothing is said.
  await lab.section.locator(`#${SLUG}-knob-backoff-box`).getByRole('button', { name: 'Remove entry 3' }).click();
  await lab.settled();
  assert.equal(await lab.refused(), '');
  assert.ok(!REFUSAL.test(await note(lab, 'max_deliver')));
  await lab.button('Add entry').click();
  await lab.settled();
  assert.match(await note(lab, 'backoff'), REFUSAL);
  assert.equal(await field(lab, 'max_deliver-text').getAttribute('aria-describedby'), `${SLUG}-knob-backoff-note`);
  await lab.button('Reset').click();
  assert.equal(await lab.refused(), '');
  assert.deepEqual(page.faults, []);
});

test('an address that is refused opens with the reason in sight', async (t) => {
  const page = await open(await browser(t), `${await hosted(t)}${CHAPTER}?slow-or-dead.backoff=1s,2s&slow-or-dead.max_deliver=1`);
  const lab = await liveLab(page, 'slow-or-dead');
  const said = lab.section.locator('div.note.wrong:visible');
  assert.equal(await said.count(), 1);
  assert.match(words(await said.innerText()), REFUSAL);
  assert.ok(await lab.picture().isVisible());
});

test('what is legal but bites is a warning beside its knob, in another tone, and the run goes on', async (t) => {
  const page = await open(await browser(t), (await hosted(t)) + CHAPTER);
  const lab = await liveLab(page, SLUG);
  const knobs = lab.section.locator('.settings div.note:visible');
  assert.equal(await knobs.count(), 0, 'what a lab opens with is what it is about');
  await field(lab, 'backoff').selectOption('1s');
  await lab.settled();
  assert.match(await note(lab, 'ack_wait'), /ack_wait of 5 s is not used: the server sets it to the first entry of backoff, 1 s/);
  assert.match(await note(lab, 'backoff'), /Work of 1\.4 s outlasts the first entry of backoff \(1 s\)/);
  const tones = await lab.section.locator('.settings div.note:visible').evaluateAll((notes) =>
    notes.map((one) => [one.className, getComputedStyle(one).borderLeftColor].join(' ')));
  assert.ok(tones.length >= 2 && tones.every((tone) => tone.startsWith('note ') && !tone.includes('wrong')), tones.join());
  assert.equal(await lab.refused(), '');
  await field(lab, 'max_deliver-text').fill('1');
  await lab.settled();
  assert.match(await note(lab, 'max_deliver'), /max_deliver of 1 allows no second try/);
  assert.equal(await field(lab, 'max_deliver-text').getAttribute('aria-invalid'), 'false');
});
