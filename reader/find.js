// The search: looks for words in the index of the book, and leads to the section that has them. Loaded when it is opened first.

const { dataset } = document.querySelector('meta[name="reader"]');
const at = (path) => new URL(path, document.baseURI).href;

const GROUPS = { y: '{{SYMPTOMS}}', s: '{{SETTINGS}}', c: '{{CHAPTERS}}', g: '{{TERMS}}', o: '{{ELSEWHERE}}' };
/** Words that say nothing where others say something. */
const QUIET = new Set('a an and are as at be by do does for from has have how i if in is it its my no not of on or so that the then this to was what when which who why with'.split(' '));
const IN_GROUP = 6;
const OF_PAGE = 3;

const WORD = /[\p{L}\p{N}_]+/gu;
const fold = (text) => text.normalize('NFD').replace(/[\u0300-\u036f]/g, '').toLowerCase();
/** A word as it is looked for, and the words that it is made of: `ack_wait` of `ack` and `wait`, `MaxDeliver` of two. */
function forms(word) {
  const parts = word.split(/_|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u).filter(Boolean);
  return parts.length > 1 ? [word, ...parts].map(fold) : [fold(word)];
}

/** The sections of the book, and for each word those that have it. */
function read(text) {
  const sections = [];
  const words = new Map();
  let page;
  const put = (word, section, weight) => {
    let places = words.get(word);
    if (!places) words.set(word, (places = new Map()));
    places.set(section, Math.min((places.get(section) ?? 0) + weight, 16));
  };
  for (const line of text.split('\n')) {
    const fields = line.split('\t');
    if (line.startsWith('#')) {
      const [kind, path, name, title] = fields;
      page = { kind: kind[1], path, name, title };
    } else if (fields.length > 2) {
      const [anchor, heading, body, more] = fields;
      const section = sections.push({ page, anchor, heading, body }) - 1;
      const all = [[heading, 6], [body, 1], [more, 1]];
      // Where a page begins, it answers to its own title.
      if (!anchor) all.push([page.name, 9], [page.title, 6]);
      for (const [part, weight] of all) {
        for (const [word] of part.matchAll(WORD)) for (const form of forms(word)) put(form, section, weight);
      }
    }
  }
  return { sections, words };
}

/** Whether one word is the other with up to `most` slips: a letter more, less, other, or two in the other order. */
export function near(a, b, most) {
  if (Math.abs(a.length - b.length) > most) return false;
  let [before, row] = [[], [...Array(b.length + 1).keys()]];
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      next[j] = Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) next[j] = Math.min(next[j], before[j - 2] + 1);
    }
    [before, row] = [row, next];
    if (Math.min(...row) > most) return false;
  }
  return row[b.length] <= most;
}

/** The words of the book that a word of the question may mean, and how well: as it is, as a beginning, else with a slip. */
function meant({ words }, asked) {
  const found = new Map();
  for (const word of words.keys()) {
    if (word === asked) found.set(word, 1);
    else if (word.startsWith(asked)) found.set(word, 0.4 + 0.4 * (asked.length / word.length));
  }
  if (found.size || asked.length < 4) return found;
  const most = asked.length < 8 ? 1 : 2;
  for (const word of words.keys()) {
    if (QUIET.has(word)) continue;
    if (near(word, asked, most)) found.set(word, 0.5);
    else if (word.length > asked.length && near(word.slice(0, asked.length), asked, 1)) found.set(word, 0.3);
  }
  return found;
}

/** Sections by how well they answer, each with the words that matched. */
export function search(index, question) {
  const asked = [...new Set([...question.matchAll(WORD)].map(([word]) => fold(word)))];
  const loud = asked.filter((word) => !QUIET.has(word));
  const each = (loud.length ? loud : asked).map((word) => {
    const whole = meant(index, word);
    // A name nobody knows may be one of several words.
    return whole.size ? [whole] : word.split('_').filter(Boolean).map((part) => meant(index, part));
  }).flat();
  const scores = new Map();
  each.forEach((words, place) => {
    const best = new Map();
    for (const [word, fit] of words) {
      const places = index.words.get(word);
      const rare = Math.log(1 + index.sections.length / places.size);
      for (const [section, weight] of places) {
        const score = fit * Math.sqrt(weight) * rare;
        if (score > (best.get(section) ?? 0)) best.set(section, score);
      }
    }
    for (const [section, score] of best) {
      const all = scores.get(section) ?? { score: 0, has: new Set() };
      all.score += score;
      all.has.add(place);
      scores.set(section, all);
    }
  });
  const most = Math.max(0, ...[...scores.values()].map(({ has }) => has.size));
  const marked = new Set(each.flatMap((words) => [...words.keys()]));
  return [...scores].filter(([, { has }]) => has.size === most)
    .map(([section, { score }]) => ({ ...index.sections[section], score, marked }))
    .sort((a, b) => b.score - a.score);
}

/** The results by kind of page, the best kind first. */
export function grouped(results) {
  const groups = new Map();
  const pages = new Map();
  for (const result of results) {
    const { kind, path } = result.page;
    const group = groups.get(kind) ?? groups.set(kind, []).get(kind);
    const ofPage = (pages.get(path) ?? 0) + 1;
    // Of a chapter the best sections; a page of entries is a list of them.
    if (group.length >= IN_GROUP || (kind === 'c' && ofPage > OF_PAGE)) continue;
    pages.set(path, ofPage);
    group.push(result);
  }
  return [...groups].map(([kind, list]) => [GROUPS[kind] ?? GROUPS.o, list]);
}

/** Text with the matched words marked. */
function marking(text, marked) {
  const out = document.createDocumentFragment();
  let from = 0;
  for (const match of text.matchAll(WORD)) {
    if (!forms(match[0]).some((form) => marked.has(form))) continue;
    const mark = document.createElement('mark');
    mark.textContent = match[0];
    out.append(text.slice(from, match.index), mark);
    from = match.index + match[0].length;
  }
  out.append(text.slice(from));
  return out;
}

/** The stretch of a text that has the most of the matched words. */
export function excerpt(text, marked, length = 150) {
  const hits = [...text.matchAll(WORD)].filter(([word]) => forms(word).some((form) => marked.has(form)));
  if (text.length <= length) return text;
  let [best, most] = [0, 0];
  for (const { index } of hits) {
    const inside = new Set(hits.filter((hit) => hit.index >= index && hit.index < index + length - 40).map(([word]) => fold(word)));
    if (inside.size > most) [best, most] = [index, inside.size];
  }
  let start = Math.max(0, best - 40);
  if (start) start = text.indexOf(' ', start) + 1;
  let end = Math.min(text.length, start + length);
  if (end < text.length) end = Math.max(text.lastIndexOf(' ', end), start + 1);
  return (start ? '… ' : '') + text.slice(start, end) + (end < text.length ? ' …' : '');
}

const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

let index;
/** Fetches the index, once; a failure is tried again. */
export function load() {
  index ??= fetch(at(dataset.index)).then((answer) => {
    if (!answer.ok) throw new Error(answer.status);
    return answer.text();
  }).then(read).catch((error) => {
    index = undefined;
    throw error;
  });
  return index;
}

const input = element('input', {
  type: 'text', role: 'combobox', 'aria-expanded': 'false', 'aria-controls': 'found', 'aria-autocomplete': 'list', 'aria-label': '{{SEARCH}}',
  autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', enterkeyhint: 'go', placeholder: '{{SEARCH_FOR}}',
});
const list = element('div', { id: 'found', role: 'listbox', 'aria-label': '{{RESULTS}}' });
const status = element('p', { role: 'status' });
const shut = element('button', { type: 'button', class: 'shut' }, '{{CLOSE}}');
const dialog = element('dialog', { class: 'find', 'aria-label': '{{SEARCH}}' }, element('div', { class: 'ask' }, input, shut), status, list);

const options = () => [...list.querySelectorAll('[role=option]')];
const active = () => list.querySelector('[aria-selected=true]');

function choose(option) {
  active()?.setAttribute('aria-selected', 'false');
  if (!option) return input.removeAttribute('aria-activedescendant');
  option.setAttribute('aria-selected', 'true');
  input.setAttribute('aria-activedescendant', option.id);
  return option.scrollIntoView({ block: 'nearest' });
}

function option({ page, anchor, heading, body, marked }, n) {
  const where = element('span', { class: 'where' }, page.name);
  const what = element('b', {}, marking(heading || (page.kind === 'c' ? `${page.name}: ${page.title}` : page.title), marked));
  const link = element('a', {
    role: 'option', id: `found-${n}`, tabindex: '-1', 'aria-selected': 'false',
    href: at(dataset.root + page.path + (anchor && `#${anchor}`)),
  }, what, ...(page.kind === 'c' && heading ? [where] : []));
  const text = body && excerpt(body, marked);
  if (text) link.append(element('span', { class: 'text' }, marking(text, marked)));
  return link;
}

let asked;
async function show() {
  const question = input.value.trim();
  if (question === asked) return;
  asked = question;
  let results = [];
  let said = question ? '' : '{{SEARCH_IN}}';
  try {
    const known = await load();
    if (question !== input.value.trim()) return;
    if (question) results = grouped(search(known, question));
  } catch {
    asked = undefined;
    said = '{{NO_INDEX}}';
  }
  let n = 0;
  list.replaceChildren(...results.map(([name, found], i) => {
    const title = element('p', { id: `found-in-${i}`, role: 'presentation' }, name);
    return element('div', { role: 'group', 'aria-labelledby': title.id }, title, ...found.map((result) => option(result, n++)));
  }));
  input.setAttribute('aria-expanded', String(n > 0));
  choose(options()[0]);
  if (!said) said = n ? (n === 1 ? '{{ONE_RESULT}}' : '{{RESULTS_N}}'.replace('#', n)) : '{{NOTHING}}'.replace('#', question);
  status.textContent = said;
  list.scrollTop = 0;
}

input.addEventListener('input', show);
input.addEventListener('keydown', (event) => {
  const all = options();
  const place = all.indexOf(active());
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.isComposing) return;
  if (step && all.length) {
    event.preventDefault();
    choose(all[(place + step + all.length) % all.length]);
  } else if (event.key === 'Enter') {
    event.preventDefault();
    active()?.click();
  }
});
// Where the reader ends up may be this page.
list.addEventListener('click', ({ target }) => target.closest('a') && dialog.close());
list.addEventListener('pointermove', ({ target }) => {
  const over = target.closest('a');
  if (over && over !== active()) choose(over);
});
shut.addEventListener('click', () => dialog.close());
// Beside the dialog is out of it.
dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());

export function open() {
  if (!dialog.isConnected) document.body.append(dialog);
  if (!dialog.open) dialog.showModal();
  input.focus();
  input.select();
  show();
}
