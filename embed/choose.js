// `embed/?lab=x&ack_wait=8s` goes on to `embed/x/?ack_wait=8s`: a static host sees no query. An unknown lab is said in words.
{
  const { src, dataset } = document.currentScript;
  const home = new URL('embed/', src).href;
  const lab = new URLSearchParams(location.search).get('lab');
  if (lab && dataset.labs.split(' ').includes(lab)) {
    const rest = location.search.slice(1).split('&').filter((pair) => pair && !/^lab(=|$)/.test(pair)).join('&');
    location.replace(home + lab + (rest ? `/?${rest}` : '/') + location.hash);
  } else {
    addEventListener('DOMContentLoaded', () => {
      for (const place of document.querySelectorAll('.here')) place.textContent = new URL(place.dataset.file ?? '', home).href;
      if (lab === null) return;
      const line = document.querySelector('.unknown');
      line.textContent = `There is no figure “${lab.slice(0, 40)}” in this book. These are there:`;
      line.hidden = false;
    });
  }
}
