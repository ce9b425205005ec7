// Around the text: opens the search, remembers what was read, shows where on the page the reader is, and keeps the book for times
// without a network. The page is complete without it.

const meta = document.querySelector('meta[name="reader"]')?.dataset ?? {};
const at = (path) => new URL(path, document.baseURI).href;

// The search is fetched when it is wanted.
let finder;
function find() {
  finder ??= import(at(meta.find)).catch((error) => {
    finder = undefined;
    throw error;
  });
  return finder;
}
const seeks = document.querySelectorAll('.seek');
async function seek() {
  try {
    (await find()).open();
  } catch {
    for (const button of seeks) button.firstChild.textContent = '{{NO_SEARCH}}';
  }
}
for (const button of seeks) {
  button.addEventListener('click', seek);
  button.addEventListener('pointerenter', () => find().then(({ load }) => load()).catch(() => {}), { once: true });
}
addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, altKey, metaKey } = event;
  if (key !== '/' || ctrlKey || altKey || metaKey || event.defaultPrevented) return;
  if (target.closest?.('input:not([type=radio], [type=checkbox], [type=range]), textarea, select, [contenteditable]')) return;
  event.preventDefault();
  seek();
});

document.querySelector('.to-paper')?.addEventListener('click', () => print());

// Where on the page the reader is: the section in the lists of contents, and how far the text is read.
const main = document.getElementById('content');
const links = [...document.querySelectorAll('.chapters ol ol a')];
const heads = [...new Set(links.map(({ hash }) => decodeURIComponent(hash.slice(1))))]
  .map((id) => document.getElementById(id)).filter(Boolean);
const chapter = document.querySelector('.chapters li:has(> [aria-current=page])')?.dataset.chapter;

// Where the list is longer than the window, the open chapter is seen.
const beside = document.querySelector('.book');
const open = beside?.querySelector('[aria-current=page]');
if (open && open.offsetTop > beside.clientHeight / 2) beside.scrollTop = open.offsetTop - beside.clientHeight / 3;

const KEY = 'delivery-lab.read';
let read = [];
/** Storage may be closed to this page; then nothing is remembered. */
const recall = () => {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    read = Array.isArray(kept) ? kept.filter((slug) => typeof slug === 'string') : [];
  } catch { /* What cannot be read was not read. */ }
};

function mark() {
  for (const item of document.querySelectorAll('[data-chapter]')) {
    const done = read.includes(item.dataset.chapter);
    if (done === item.hasAttribute('data-read')) continue;
    item.toggleAttribute('data-read', done);
    if (done) item.querySelector('a').append(Object.assign(document.createElement('span'), { className: 'unseen', textContent: ', {{READ}}' }));
    else item.querySelector('a > .unseen')?.remove();
  }
  const all = new Set([...document.querySelectorAll('[data-chapter]')].map(({ dataset }) => dataset.chapter));
  const n = [...all].filter((slug) => read.includes(slug)).length;
  for (const line of document.querySelectorAll('.how-far')) {
    line.hidden = !n;
    line.textContent = '{{READ_N}}'.replace('#', n).replace('#', all.size);
  }
  goOn();
}

/** On the front page: the chapter after the last one that was read. */
function goOn() {
  const start = document.querySelector('.front .start');
  const all = [...document.querySelectorAll('.book [data-chapter]')];
  const next = all[all.findLastIndex(({ dataset }) => read.includes(dataset.chapter)) + 1];
  start?.querySelector('.go-on')?.remove();
  if (!start || !next || next === all[0]) return;
  const { href, lastChild } = next.querySelector('a');
  const words = [...next.querySelector('a').childNodes].find(({ nodeType }) => nodeType === Node.TEXT_NODE) ?? lastChild;
  start.append(Object.assign(document.createElement('a'), { href, className: 'go-on', textContent: `{{GO_ON}} ${words.textContent}` }));
}

function keep(slug) {
  recall();
  if (read.includes(slug)) return;
  read.push(slug);
  try { localStorage.setItem(KEY, JSON.stringify(read)); } catch { /* It lasts as long as the page. */ }
  mark();
}

let here;
let asked;
function follow() {
  asked = 0;
  // A section is where the reader is once its heading has come into the upper third.
  const line = innerHeight / 3;
  const foot = scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
  const above = heads.filter((head) => head.getBoundingClientRect().top < line);
  const now = (foot && scrollY > 0 ? heads : above).at(-1)?.id;
  if (now !== here) {
    for (const link of links) {
      if (decodeURIComponent(link.hash.slice(1)) === now) link.setAttribute('aria-current', 'location');
      else link.removeAttribute('aria-current');
    }
    here = now;
  }
  const { top, height } = main.getBoundingClientRect();
  const share = Math.min(1, Math.max(0, (innerHeight - top) / height));
  document.documentElement.style.setProperty('--read', share.toFixed(3));
}
if (chapter || heads.length) {
  const soon = () => { asked ||= requestAnimationFrame(follow); };
  addEventListener('scroll', soon, { passive: true });
  addEventListener('resize', soon, { passive: true });
  soon();
}
if (chapter) {
  // Who has come to the end of the text has read the chapter.
  const end = document.querySelector('.turn') ?? main.lastElementChild;
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting) || scrollY < 1) return;
    seen.disconnect();
    keep(chapter);
  });
  if (end) seen.observe(end);
}
recall();
mark();
addEventListener('storage', ({ key }) => {
  if (key !== KEY && key !== null) return;
  recall();
  mark();
});
addEventListener('pageshow', ({ persisted }) => {
  if (!persisted) return;
  recall();
  mark();
});

// The book is kept once everything else is done; a book that is being written is not kept.
async function store() {
  const workers = navigator.serviceWorker;
  try {
    if (!meta.worker) return (await workers.getRegistration(at(meta.root)))?.unregister();
    await workers.register(at(meta.worker), { scope: at(meta.root), updateViaCache: 'none' });
    const { active } = await workers.ready;
    idle(() => active.postMessage(navigator.connection?.saveData ? 'here' : 'all'));
  } catch { /* Without it the book needs a network, as every page does. */ }
  return undefined;
}
const idle = (act) => (globalThis.requestIdleCallback ?? setTimeout)(act);
if (navigator.serviceWorker && meta.root) {
  if (document.readyState === 'complete') idle(store);
  else addEventListener('load', () => idle(store));
}
