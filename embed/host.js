// For a page with figures: gives each the height it needs, and takes the focus back on Escape.
// Optional: <script src="…/embed.js" async></script>
(() => {
  const home = new URL('embed/', document.currentScript.src).href;
  const figures = () => [...document.querySelectorAll('iframe')].filter(({ src }) => src.startsWith(home));
  addEventListener('message', ({ data, source }) => {
    const figure = data?.type === 'delivery-lab' && figures().find(({ contentWindow }) => contentWindow === source);
    if (!figure) return;
    if (Number.isFinite(data.height) && data.height >= 50 && data.height <= 20000) {
      const edges = getComputedStyle(figure).boxSizing === 'border-box' ? figure.offsetHeight - figure.clientHeight : 0;
      figure.style.height = `${data.height + edges}px`;
    }
    if (data.escape === true && document.activeElement === figure) figure.blur();
  });
  for (const { contentWindow } of figures()) contentWindow?.postMessage({ type: 'delivery-lab', ask: 'height' }, '*');
})();
