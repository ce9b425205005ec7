// The scheme that a reader chose, or that the address asks for, before anything is painted; and the switch for it.
{
  const root = document.documentElement;
  const KEY = 'delivery-lab.scheme';
  const SCHEMES = ['light', 'dark'];
  const known = (scheme) => (SCHEMES.includes(scheme) ? scheme : '');
  const address = () => new URL(location.href);
  let scheme;

  const show = () => {
    if (scheme) root.dataset.scheme = scheme;
    else delete root.dataset.scheme;
    document.querySelector('meta[name="color-scheme"]').content = scheme || SCHEMES.join(' ');
    document.querySelectorAll('meta[name="theme-color"]').forEach((meta, i) => {
      const own = SCHEMES[i];
      meta.media = !scheme ? `(prefers-color-scheme: ${own})` : scheme === own ? 'all' : 'not all';
    });
    for (const input of document.querySelectorAll('.scheme input')) input.checked = input.value === scheme;
  };
  const read = () => {
    // Storage may be closed to this page; then a choice lasts as long as the page.
    let kept;
    try { kept = localStorage.getItem(KEY); } catch { kept = scheme; }
    scheme = known(address().searchParams.get('theme')) || known(kept);
    show();
  };
  read();
  root.dataset.scripted = '';

  addEventListener('DOMContentLoaded', show);
  addEventListener('pageshow', ({ persisted }) => persisted && read());
  addEventListener('storage', ({ key }) => (key === KEY || key === null) && read());
  addEventListener('change', ({ target }) => {
    if (!target.matches('.scheme input')) return;
    scheme = known(target.value);
    try {
      if (scheme) localStorage.setItem(KEY, scheme);
      else localStorage.removeItem(KEY);
    } catch { /* It lasts as long as the page. */ }
    // What was chosen later rules over what the address asked for.
    const url = address();
    if (url.searchParams.has('theme')) {
      url.searchParams.delete('theme');
      history.replaceState(history.state, '', url);
    }
    show();
  });
}
