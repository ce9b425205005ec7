// Terms of the glossary are explained where they stand: while one is pointed at or has the focus, and on a touch. Without a
// script each is a link to the glossary, and so it stays for who follows it.

const ID = 'meaning';
const meanings = new Map([...document.querySelectorAll('template[data-means]')].map((one) => [one.dataset.means, one]));
const words = (of) => of?.closest?.('a.def');

/** What is shown, and for which word. */
let shown, of;
/** The next thing to happen after a moment. */
let soon;
/** A word that was touched: the first touch explains it, the second follows it. */
let touched;

function later(act, moment) {
  clearTimeout(soon);
  soon = setTimeout(act, moment);
}

function hide() {
  clearTimeout(soon);
  of?.removeAttribute('aria-describedby');
  shown?.remove();
  shown = of = touched = undefined;
}

function show(word) {
  if (word === of) return clearTimeout(soon);
  hide();
  const meaning = meanings.get(word.dataset.def);
  if (!meaning) return;
  of = word;
  shown = document.createElement('div');
  shown.id = ID;
  shown.className = ID;
  shown.setAttribute('role', 'tooltip');
  shown.append(meaning.content.cloneNode(true));
  document.body.append(shown);
  word.setAttribute('aria-describedby', ID);
  // Below the line of the word, else above; never out of sight. It touches the word, so that a pointer can go there.
  const line = word.getClientRects()[0];
  const { offsetWidth: width, offsetHeight: height } = shown;
  const below = line.bottom + height + 8 < innerHeight || line.top < height + 8;
  const left = Math.max(12, Math.min(line.left, document.documentElement.clientWidth - width - 12));
  shown.style.left = `${left + scrollX}px`;
  shown.style.top = `${(below ? line.bottom : line.top - height) + scrollY}px`;
}

addEventListener('pointerover', ({ target, pointerType }) => {
  if (pointerType === 'touch') return;
  const word = words(target);
  if (word && word !== of) later(() => show(word), 200);
  else if (word || shown?.contains(target)) clearTimeout(soon);
  else if (of && of !== document.activeElement) later(hide, 200);
  else clearTimeout(soon);
});
addEventListener('focusin', ({ target }) => {
  const word = words(target);
  if (word?.matches(':focus-visible')) show(word);
});
addEventListener('focusout', ({ target }) => words(target) === of && hide());
addEventListener('keydown', ({ key }) => key === 'Escape' && hide());
addEventListener('pointerdown', ({ target, pointerType }) => {
  const word = words(target);
  const again = word && word === of;
  if (shown && !again && !shown.contains(target)) hide();
  touched = pointerType === 'touch' && !again ? word : undefined;
});
addEventListener('click', (event) => {
  const word = words(event.target);
  if (!word || word !== touched) return;
  event.preventDefault();
  show(word);
});
