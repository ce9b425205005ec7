// Code in the reader's own language: what is chosen in one place holds in all, on every page, until another is chosen.
// Without a script each place has its own choice.

const KEY = 'client';

function choose(client) {
  for (const input of document.querySelectorAll('.tabs input')) {
    if (input.value === client) input.checked = true;
  }
}

/** A browser that keeps nothing for this page forgets it, which harms nothing. */
function kept(client) {
  try {
    if (client) localStorage.setItem(KEY, client);
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

choose(kept());

addEventListener('change', ({ target }) => {
  if (!target.matches?.('.tabs input')) return;
  // Others above may grow or shrink; this one stays where it is.
  const { top } = target.getBoundingClientRect();
  choose(target.value);
  scrollBy({ top: target.getBoundingClientRect().top - top, behavior: 'instant' });
  kept(target.value);
});

addEventListener('storage', ({ key, newValue }) => key === KEY && choose(newValue));
