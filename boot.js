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

// Should the program ever stop, no figure stays dead.
addEventListener('error', ({ error }) => {
  if (error instanceof WebAssembly.RuntimeError) {
    finished.forEach((_, lab) => lab.classList.contains('live') && rest(lab, 'its program stopped'));
  }
});
