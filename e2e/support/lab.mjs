// A lab as a reader meets it: by roles, names and words.

import assert from 'node:assert/strict';
import { until } from './browser.mjs';

/** The lab on a page, once it is live. */
export async function liveLab(page, slug) {
  const lab = new Lab(page, slug);
  await lab.section.evaluate((section) => section.scrollIntoView({ block: 'start' }));
  await until(`the lab ${slug} to be live`, () => page.locator(`section.lab.live#${slug}`).count(),
    () => `On the page went wrong: ${JSON.stringify(page.faults)}`);
  return lab;
}

/** A lab, live or not. */
export class Lab {
  constructor(page, slug) {
    this.page = page;
    this.slug = slug;
    this.section = page.locator(`section.lab#${slug}`);
  }

  button(name) {
    return this.section.getByRole('button', { name, exact: true });
  }

  /** The slider of a setting, by its label. */
  knob(label) {
    return this.section.getByRole('slider', { name: label, exact: true });
  }

  /** The sliders of all settings that can be seen. */
  knobs() {
    return this.section.getByRole('group', { name: 'Settings' }).getByRole('slider').filter({ visible: true });
  }

  /** The element around the picture, which takes the keys. */
  view() {
    return this.section.getByRole('group', { name: /^Picture/ });
  }

  /** Turns a knob by the keyboard until it says `value`. */
  async turn(name, value, key = 'ArrowRight') {
    const knob = this.knob(name);
    await knob.focus();
    const said = [];
    for (let presses = 0; presses < 40; presses += 1) {
      const now = await knob.getAttribute('aria-valuetext');
      if (value.test(now)) return now;
      said.push(now);
      await this.page.keyboard.press(key);
      await this.settled();
    }
    assert.fail(`${name} of ${this.slug} never says ${value}, but ${said.join(', ')}`);
  }

  /** Until what was done is on screen. */
  async settled() {
    await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0))));
  }

  /** What is happening now, in words. */
  async caption() {
    return words(await this.section.locator('.caption').innerText());
  }

  /** The moment of the caption, in seconds. */
  async moment() {
    return seconds(await this.caption());
  }

  /** Opens the table of events by the keyboard. */
  async openEvents() {
    const details = this.section.locator('details.events');
    if (await details.evaluate((element) => element.open)) return;
    await details.locator('summary').press('Enter');
    await until(`the events of ${this.slug}`, () => details.locator('tbody tr').count());
  }

  /** The rows of the open table of events: their cells, as text. */
  async events() {
    return this.section.locator('details.events tbody tr').evaluateAll((rows) =>
      rows.map((row) => [...row.cells].map((cell) => cell.innerText.replace(/\s+/g, ' ').trim())));
  }

  /** Sentences on what was not understood or not allowed, those that can be seen. */
  async notices() {
    const found = this.section.locator('.lab-notice p:visible');
    return (await found.allInnerTexts()).map(words).filter(Boolean);
  }

  /** Why the settings are not possible, beside a knob and below all; empty if they are. */
  async refused() {
    const beside = await this.section.locator('div.note.wrong:visible').allInnerTexts();
    return words([...beside, await this.section.locator('.refused').innerText()].join(' '));
  }

  /** The picture on screen. */
  picture() {
    return this.section.locator('svg.scene:visible');
  }

  /** Everything a reader sees of a lab's state: settings, moment, words and picture. */
  async state() {
    const knobs = await this.section.locator('.knob').evaluateAll((all) =>
      all.map((knob) => [knob.querySelector('label').textContent, ...[...knob.querySelectorAll('input, select')]
        .map((field) => (field.type === 'checkbox' ? field.checked : field.value))].join(' ')));
    return {
      knobs,
      caption: await this.caption(),
      digest: await this.section.getAttribute('data-live-digest'),
      // A picture that has moved also holds the messages that are not seen.
      picture: await this.picture().evaluate((svg) => {
        const seen = svg.cloneNode(true);
        for (const mover of seen.querySelectorAll('.mover')) mover.remove();
        return seen.textContent.replace(/\s+/g, ' ');
      }),
    };
  }
}

/** Text in one line. */
export const words = (text) => text.replace(/\s+/g, ' ').trim();

/** The first moment in a text, `T+8.0 s` or `T+1 min 4.5 s`, in seconds. */
export function seconds(text) {
  const found = /T\+(?:(\d+) min )?(\d+(?:\.\d+)?)/.exec(text);
  assert.ok(found, `no moment in: ${text}`);
  return Number(found[1] ?? 0) * 60 + Number(found[2]);
}
