// The chooser: makes a form of its questions, shows the outcome that fits, and keeps the answers in the address.

const chooser = document.querySelector('.chooser');
const form = chooser.querySelector('form');
const status = chooser.querySelector('[role=status]');
const KEY = 'choose.';
/** Each outcome with the answers it takes, by question. */
const outcomes = [...chooser.querySelectorAll('.outcome')].map((section) => ({
  section,
  takes: section.dataset.when.split(' ').map((pair) => {
    const [question, answers] = pair.split(':');
    return [question, answers.split(',')];
  }),
}));

/** Marks these answers, and no others. */
function answer(given) {
  for (const input of form.querySelectorAll('input')) input.checked = given[input.name] === input.value;
}

function show() {
  const given = Object.fromEntries(new FormData(form));
  const left = outcomes.filter(({ takes }) =>
    takes.every(([question, answers]) => !given[question] || answers.includes(given[question])));
  const [found] = left;
  const done = left.length === 1;
  for (const { section } of outcomes) section.hidden = !done || section !== found.section;
  for (const field of form.querySelectorAll('fieldset')) {
    // It makes no difference if every answer leaves what is left now.
    const matters = [...field.querySelectorAll('input')].some(({ name, value }) =>
      left.some(({ takes }) => takes.some(([question, answers]) => question === name && !answers.includes(value))));
    field.classList.toggle('moot', !matters && !(field.querySelector('input').name in given));
  }
  const title = done && found.section.querySelector('h3').firstChild.textContent.trim();
  status.textContent = done ? `What fits: ${title}.` : `${left.length} of ${outcomes.length} ways are left.`;
  return given;
}

function keep(given) {
  const others = location.search.slice(1).split('&').filter((pair) => pair && !pair.startsWith(KEY));
  const own = Object.entries(given).map(([question, chosen]) => `${KEY}${question}=${chosen}`);
  const query = [...others, ...own].join('&');
  history.replaceState(history.state, '', location.pathname + (query && `?${query}`) + location.hash);
}

/** An address may name an outcome: then its answers are given. */
function named() {
  const outcome = outcomes.find(({ section }) => location.hash === `#${section.id}`);
  if (!outcome) return false;
  answer(Object.fromEntries(outcome.takes.map(([question, [first]]) => [question, first])));
  keep(show());
  outcome.section.scrollIntoView();
  return true;
}

form.addEventListener('change', () => keep(show()));
// The form is empty only after the event.
form.addEventListener('reset', () => setTimeout(() => keep(show())));
form.addEventListener('submit', (event) => event.preventDefault());
form.querySelector('[data-do=copy]').addEventListener('click', async () => {
  const link = `${location.href.split('#')[0]}#${chooser.id}`;
  try {
    await navigator.clipboard.writeText(link);
    status.textContent = 'Link copied.';
  } catch {
    status.textContent = link;
  }
});
addEventListener('hashchange', named);

for (const hidden of form.querySelectorAll('input, .tools')) hidden.hidden = false;
chooser.classList.add('live');
if (!named()) {
  const asked = new URLSearchParams(location.search);
  answer(Object.fromEntries([...asked].map(([key, value]) => [key.replace(KEY, ''), value])));
  show();
}
