// A static host: serves a folder under a prefix, as strictly as a careful host would.

import { createServer } from 'node:http';
import { readFile, stat } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';

const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml',
};

/** Nothing inline, nothing from elsewhere. `frame-ancestors *`: any page may embed a lab. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  'frame-ancestors *',
].join('; ');

/**
 * Serves `folder` under `prefix` (`/` or `/x/`) on a free port of 127.0.0.1, with `headers` besides its own. `scripts: false`
 * forbids every script, for browsers whose JavaScript cannot be turned off from outside.
 */
export async function serve(folder, prefix = '/', { headers = {}, scripts = true } = {}) {
  const policy = scripts ? POLICY : POLICY.replace(/script-src [^;]*/, "script-src 'none'");
  const server = createServer({ maxHeaderSize: 512 * 1024 }, async (request, response) => {
    const answer = (status, type, body, more = {}) => {
      response.writeHead(status, {
        'content-type': type,
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        ...headers,
        ...more,
      });
      response.end(request.method === 'HEAD' ? undefined : body);
    };
    const missing = async () => {
      const page = await readFile(join(folder, '404.html')).catch(() => 'Not found.');
      answer(404, TYPES['.html'], page);
    };
    try {
      const { pathname, search } = new URL(request.url, 'http://localhost');
      const path = decodeURIComponent(pathname);
      if (!path.startsWith(prefix)) return await missing();
      let file = normalize(join(folder, path.slice(prefix.length)));
      if (file !== folder && !file.startsWith(folder + sep)) return await missing();
      const found = await stat(file).catch(() => undefined);
      if (found?.isDirectory()) {
        if (!path.endsWith('/')) return answer(301, 'text/plain', '', { location: `${pathname}/${search}` });
        file = join(file, 'index.html');
      }
      const body = await readFile(file).catch(() => undefined);
      if (body === undefined) return await missing();
      answer(200, TYPES[extname(file)] ?? 'application/octet-stream', body);
    } catch {
      await missing();
    }
  });
  await new Promise((done, failed) => server.once('error', failed).listen(0, '127.0.0.1', done));
  return {
    /** Address of the site's first page. */
    url: `http://127.0.0.1:${server.address().port}${prefix}`,
    close() {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}
