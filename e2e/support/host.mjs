// A page of somebody else, on a port of its own and so of another origin, with a figure in a frame.

import { createServer } from 'node:http';
import { open, until } from './browser.mjs';
import { Lab } from './lab.mjs';

/** Serves one page for a test. */
async function page(t, body) {
  const server = createServer((request, response) => {
    if (request.url !== '/') return response.writeHead(204).end();
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    return response.end(`<!doctype html><html lang="en"><title>Host</title>${body}</html>`);
  });
  await new Promise((done, failed) => server.once('error', failed).listen(0, '127.0.0.1', done));
  t.after(() => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  });
  return `http://127.0.0.1:${server.address().port}/`;
}

/** A page with `body`, where the focus is in a field of its own and every message to it is noted in `messages`. */
export async function around(t, started, body, options = {}) {
  const note = `<script>
    const messages = [];
    addEventListener('message', ({ data, origin }) => messages.push({ ...data, origin }));
    const keys = [];
    addEventListener('keydown', ({ key }) => keys.push(key));
  </script>`;
  const url = await page(t, `${note}<p><input autofocus aria-label="Own"></p>${body}`);
  const host = await open(started, url, options);
  // The site whose figure it shows is not its own; nothing else may be wrong.
  const { faults } = host;
  host.wrong = (home) => faults.filter((fault) => !fault.startsWith(`leaves the site: ${home}`));
  return host;
}

/** The figure in the frame of a host. */
export async function framed(host, slug) {
  const frame = await until('the page in the frame', () => host.frames().find((one) => one !== host.mainFrame()
    && one.url().includes(`/embed/${slug}/`)));
  return new Lab(frame, slug);
}

/** The figure in the frame of a host, once it is live. */
export async function liveFramed(host, slug) {
  const lab = await framed(host, slug);
  await until(`the figure ${slug} to be live`, () => lab.page.locator(`section.lab.live#${slug}`).count(),
    () => JSON.stringify(host.faults));
  return lab;
}
