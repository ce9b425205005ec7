// Inside an embedded figure: its scheme, its height for the page around it, and Escape, which gives the focus back.
// All that leaves the frame is that height, and that Escape was pressed: nothing that a reader set.
{
  const root = document.documentElement;
  const theme = new URLSearchParams(location.search).get('theme');
  if (theme === 'light' || theme === 'dark') root.dataset.scheme = theme;

  const framed = parent !== window;
  const tell = (what) => framed && parent.postMessage({ type: 'delivery-lab', ...what }, '*');

  // Nothing in here depends on the height of the frame, so a host that follows it comes to rest.
  let height;
  const measure = (again) => {
    const now = Math.ceil(root.getBoundingClientRect().height);
    if (!now || (now === height && !again)) return;
    height = now;
    tell({ lab: document.querySelector('[data-lab]')?.id, height });
  };
  // A host's script that came later asks once more.
  addEventListener('message', ({ data, source }) => {
    if (source === parent && data?.type === 'delivery-lab' && data.ask === 'height') measure(true);
  });

  const leave = () => {
    document.activeElement?.blur();
    parent.focus();
    tell({ escape: true });
  };
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || !framed) return;
    // What in the figure closes on Escape says so, and later than this.
    if (event.key === 'Escape') setTimeout(() => event.defaultPrevented || leave());
    // What a presenter's remote sends steps the figure that has the focus; what scrolls or counts by these keys keeps them.
    const step = { PageDown: 'ArrowRight', PageUp: 'ArrowLeft' }[event.key];
    if (step && !event.shiftKey && event.target.closest('.lab') && !event.target.closest('input, select, textarea, .rows')) {
      event.preventDefault();
      event.target.dispatchEvent(new KeyboardEvent('keydown', { key: step, bubbles: true, cancelable: true }));
    }
  });

  let failed;
  const still = () => {
    for (const lab of document.querySelectorAll('.lab:not(.live, .still)')) {
      lab.classList.add('still');
      const line = document.createElement('p');
      line.className = 'still-line';
      line.textContent = `This figure is not live here: ${origin === 'null'
        ? 'the sandbox of its frame keeps its program out'
        : 'its program did not load'}; picture and account show its default run.`;
      lab.querySelector('.caption')?.after(line);
    }
  };
  // A sandbox without allow-same-origin lets modules come only from a host that lets everybody have them.
  addEventListener('error', ({ target }) => {
    failed ||= /\/boot[^/]*$/.test(target.src);
    if (failed && document.readyState !== 'loading') still();
  }, true);

  addEventListener('DOMContentLoaded', () => {
    if (failed) still();
    new ResizeObserver(() => measure()).observe(root);
    // What is in the window of the frame may be far outside that of the page around it.
    const lab = document.querySelector('[data-lab]');
    if (lab) {
      new IntersectionObserver((seen) => root.toggleAttribute('data-away', !seen.at(-1).isIntersecting)).observe(lab);
    }
  });
}
