// What a reader gets of a page without anything running: its text, pictures and accounts.

/** The text of the page outside its labs, and what stands in the place of each lab. */
export const prose = (page) => page.evaluate(() => {
  const text = (element) => (element?.textContent ?? '').replace(/\s+/g, ' ').trim();
  const main = document.querySelector('main');
  const outside = main.cloneNode(true);
  for (const lab of outside.querySelectorAll('section.lab')) lab.replaceWith(`[${lab.id}]`);
  return {
    title: document.title,
    heading: text(main.querySelector('h1')),
    text: text(outside),
    seen: main.getClientRects().length > 0 && getComputedStyle(main).visibility === 'visible',
    labs: [...document.querySelectorAll('section.lab')].map((lab) => {
      const seen = (element) => element.getClientRects().length > 0;
      const pictures = [...lab.querySelectorAll('svg.scene')].filter(seen);
      return {
        slug: lab.id,
        live: lab.classList.contains('live'),
        seen: seen(lab),
        words: lab.innerText.replace(/\s+/g, ' ').trim(),
        account: text(lab.querySelector('.account p')),
        pictures: pictures.map((svg) => ({
          role: svg.getAttribute('role'),
          label: (svg.getAttribute('aria-labelledby') ?? '').split(' ').filter(Boolean)
            .map((id) => text(document.getElementById(id))),
          title: text(svg.querySelector('title')),
          description: text(svg.querySelector('desc')),
          words: text(svg),
          height: svg.getBoundingClientRect().height,
        })),
      };
    }),
  };
});
