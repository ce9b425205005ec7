// Copies a figure as it is set now: as a link, as an iframe for another page, as Markdown for a message; and its events. Copies code.

const { embed, chapter } = document.querySelector('meta[name="lab-places"]')?.dataset ?? {};
const at = (path) => new URL(path, document.baseURI).href;

const html = (text) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
const quiet = (text) => text.replace(/[\\`*_~[\]<>#&|]/g, '\\$&');
/** What stands between backticks is code already. */
const markdown = (text) => text.split('`').map((part, i) => (i % 2 ? `\`${part}\`` : quiet(part))).join('');

/** The address of the figure in its chapter. On a page of its own it has short keys; in the chapter those with its name. */
function link({ id }, query) {
  if (!chapter) return `${location.href.split('#')[0]}#${id}`;
  const own = query.split('&').filter(Boolean).map((pair) => `${id}.${pair}`).join('&');
  return at(chapter) + (own && `?${own}`) + `#${id}`;
}

const AS = {
  link: ['Link copied.', link],
  iframe: ['Code copied.', (lab, query, title) => {
    const src = at(`${embed}${lab.id}/`) + (query && `?${query}`);
    // A fixed height, about that on screen: the script for hosts, embed.js, makes it exact.
    const height = Math.min(Math.max(Math.ceil(lab.offsetHeight / 10) * 10 + 50, 600), 1400);
    return `<iframe src="${html(src)}" title="${html(title)}" width="100%" height="${height}" loading="lazy" allow="clipboard-write" style="border:0"></iframe>`;
  }],
  markdown: ['Markdown copied.', (lab, query, title, { settings, result }) =>
    `[${quiet(title)}](${link(lab, query).replace(/\(/g, '%28').replace(/\)/g, '%29')})\n\n${markdown(settings)}\n\n${markdown(result)}\n`],
  // The program has written it already, and what to say of it.
  text: ['', (lab, query, title, { text }) => text],
};

addEventListener('click', async ({ target }) => {
  const button = target.closest?.('[data-copy]');
  if (!button) return;
  const lab = button.closest('.lab');
  // The program answers at once: the address, and on the element around the buttons the settings in words.
  lab.dispatchEvent(new Event('share'));
  const said = button.parentElement;
  const [done, write] = AS[button.dataset.copy];
  const text = write(lab, said.dataset.query, lab.querySelector('h2').textContent, said.dataset);
  const status = said.querySelector('[role=status]');
  const field = said.querySelector('textarea');
  try {
    await navigator.clipboard.writeText(text);
    field.hidden = true;
    status.textContent = done || said.dataset.done;
    setTimeout(() => { status.textContent = ''; }, 2_000);
  } catch {
    // The clipboard is closed to this page: the text stands selected, to be copied by hand.
    status.textContent = 'Selected, to be copied by hand:';
    field.value = text;
    field.hidden = false;
    field.focus();
    field.select();
    field.scrollTop = 0;
  }
});

// Code has its button from here, since without a script it would do nothing.
const ICON = '<svg viewBox="0 0 16 16" aria-hidden="true"><path class="ask" d="M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8z"/><path class="yes" d="M3 8.5l3.5 3.5L13 4.5"/></svg>';
const told = document.createElement('p');
told.className = 'unseen';
told.setAttribute('role', 'status');

for (const pre of document.querySelectorAll('.code > pre')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.title = 'Copy this code';
  button.innerHTML = ICON;
  button.setAttribute('aria-label', button.title);
  pre.after(button);
}
document.body.append(told);

/** What is typed: with prompts, the commands alone. */
function typed(code) {
  const lines = code.textContent.split('\n');
  if (!code.matches('.language-console') || !lines.some((line) => line.startsWith('$ '))) return code.textContent;
  const typed = lines.filter((line, i) => line.startsWith('$ ') || (i && lines[i - 1].endsWith('\\')));
  return `${typed.map((line) => line.replace(/^\$ /, '')).join('\n')}\n`;
}

addEventListener('click', async ({ target }) => {
  const button = target.closest?.('.code > button');
  if (!button) return;
  const code = button.parentElement.querySelector('code');
  try {
    await navigator.clipboard.writeText(typed(code));
    button.className = 'done';
    told.textContent = 'Code copied.';
    setTimeout(() => {
      button.className = '';
      told.textContent = '';
    }, 2_000);
  } catch {
    getSelection().selectAllChildren(code);
    told.textContent = 'Selected, to be copied by hand.';
  }
});
