// Makes the figures of a page live, each when it comes near. The page is complete without it.

const meta = document.querySelector('meta[name="lab-assets"]');
const at = (path) => new URL(path, document.baseURI).href;

/** The finished HTML of every figure that was touched, to go back to. */
const finished = new Map();
let program;

function load() {
  if (!meta || typeof WebAssembly !== 'object') return Promise.reject('this browser has no WebAssembly');
  return import(at(meta.dataset.js))
    .then((module) => module.default({ module_or_path: at(meta.dataset.wasm) }).then(() => module))
    .catch(() => Promise.reject('its program did not load'));
}

/** Puts a figure back as it was printed, with one quiet line. */
function rest(lab, why) {
  lab.innerHTML = finished.get(lab);
  lab.classList.remove('live');
  lab.classList.add('still');
  wake(lab, false);
  const line = document.createElement('p');
  line.className = 'still-line';
  line.textContent = `This figure is not live here: ${why}; picture and account show its default run.`;
  (lab.querySelector('.caption') ?? lab.lastElementChild).after(line);
}

async function live(lab) {
  finished.set(lab, lab.innerHTML);
  try {
    program ??= load();
    (await program).mount(lab);
    for (const input of lab.querySelectorAll('.answer input')) input.disabled = false;
    wake(lab, true);
  } catch (why) {
    rest(lab, typeof why === 'string' ? why : 'its program stopped');
  }
}

const near = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (isIntersecting) {
      near.unobserve(target);
      live(target);
    }
  }
}, { rootMargin: '800px 0px' });
document.querySelectorAll('[data-lab]').forEach((lab) => near.observe(lab));

// A result in the text is a link to the figure as it shows it; on the same page nothing needs to load.
addEventListener('click', (event) => {
  const link = event.target.closest?.('a.result[href]');
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const lab = document.getElementById(link.hash.slice(1));
  if (!lab || link.origin !== location.origin || link.pathname !== location.pathname) return;
  event.preventDefault();
  history.pushState(null, '', link.href);
  dispatchEvent(new PopStateEvent('popstate'));
  lab.scrollIntoView();
  lab.querySelector('.view')?.focus({ preventScroll: true });
});

// Words that name a message or a state light it in their figure: while they are touched, or kept by a press.
const WORDS = '[data-msg-label], [data-term]';
let lit, kept;

/** Words in the text can be pressed while their figure can show it. */
function wake(lab, live) {
  for (const word of document.querySelectorAll(`[data-in="${lab.id}"]`)) {
    for (const [name, value] of [['role', 'button'], ['tabindex', '0'], ['aria-pressed', 'false']]) {
      if (live) word.setAttribute(name, value);
      else word.removeAttribute(name);
    }
  }
}

/** Lights a word; by default the one that has the focus, else the one that is kept. */
function light(word = document.activeElement?.closest(`:is(${WORDS}):focus-visible`) ?? kept) {
  if (word === lit) return;
  const figure = (of) => of?.closest('section.lab') ?? document.getElementById(of?.dataset.in);
  const [before, now] = [figure(lit), figure(word)];
  const tell = (lab, detail) => lab?.classList.contains('live') && lab.dispatchEvent(new CustomEvent('light', { detail }));
  if (before !== now) tell(before, {});
  if (word) tell(now, word.dataset.term ? { state: word.dataset.term } : { msg: word.dataset.msgLabel });
  lit = word;
}

for (const [name, touched] of [['pointerover', true], ['pointerout', false], ['focusin', true], ['focusout', false]]) {
  addEventListener(name, ({ target, relatedTarget }) => {
    const word = target.closest?.(WORDS);
    if (!word || word.contains(relatedTarget) || (name === 'focusin' && !word.matches(':focus-visible'))) return;
    light(touched ? word : undefined);
  });
}

function press(word) {
  kept?.setAttribute('aria-pressed', 'false');
  kept = kept === word ? undefined : word;
  kept?.setAttribute('aria-pressed', 'true');
  light(kept ?? null);
  const view = kept && document.getElementById(kept.dataset.in).querySelector('.view');
  const { top, bottom } = view?.getBoundingClientRect() ?? {};
  if (bottom < 80 || top > innerHeight - 80) view.scrollIntoView({ block: 'center' });
}

addEventListener('click', ({ target }) => {
  const word = target.closest?.('[data-in][tabindex]');
  if (word) press(word);
});
addEventListener('keydown', (event) => {
  const { target, key, ctrlKey, altKey, metaKey } = event;
  if (ctrlKey || altKey || metaKey || !target.matches?.('[data-in][tabindex]')) return;
  if (key === 'Enter' || key === ' ') press(target);
  else if (key === 'Escape' && kept) press(kept);
  else return;
  event.preventDefault();
});

// Should the program ever stop, no figure stays dead.
addEventListener('error', ({ error }) => {
  if (error instanceof WebAssembly.RuntimeError) {
    finished.forEach((_, lab) => lab.classList.contains('live') && rest(lab, 'its program stopped'));
  }
});
