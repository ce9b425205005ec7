// On the page for what is not there: the page of the book that may have been meant, by what stands in the address.

const { find } = document.querySelector('meta[name="reader"]').dataset;
const { near } = await import(new URL(find, document.baseURI).href);

const asked = decodeURIComponent(location.pathname).toLowerCase().replace(/\.\w+$/, '').split('/').filter(Boolean);
const name = ({ pathname }) => pathname.split('/').filter(Boolean).at(-1) ?? '';
const meant = [...document.querySelectorAll('.book .chapters a:not([href*="#"])')].find((link) => asked.some((part) => part.length > 3
  && (name(link).startsWith(part) || part.startsWith(name(link)) || near(part, name(link), Math.ceil(part.length / 4)))));
if (meant) {
  const line = document.querySelector('.meant');
  const link = meant.cloneNode(true);
  link.querySelector('.n')?.remove();
  line.append(link);
  line.hidden = false;
}
