// Keeps the book for times without a network. The press writes its lists anew for every edition: what a page needs, and the pages, each
// with the digest of what it is in this edition. One store holds one edition, and nothing comes into it that has not its digest; so what
// is taken out of it fits together.

const EDITION = '{{EDITION}}';
/** What every page needs, and the page that says what is not there. */
const SHELL = { /* {{SHELL}} */ };
/** The pages that are read. */
const PAGES = { /* {{PAGES}} */ };

const FILES = { ...SHELL, ...PAGES };
const ROOT = new URL('./', location.href).href;
const STORES = `delivery-lab ${ROOT} `;
const OWN = STORES + EDITION;
const OFFLINE = 'offline/';
/** Where the store notes which pages were open when its edition took over. */
const BEFORE = `${ROOT}?before`;
/** So long an open page waits for the network when it could be had at once, in milliseconds. */
const PATIENCE = 3_000;

const own = () => caches.open(OWN);
const known = (path) => Object.hasOwn(FILES, path);
/** Where on the site an address is: `the-stopwatch/`. */
const place = (url) => url.slice(ROOT.length).replace(/[?#].*$/, '').replace(/(^|\/)index\.html$/, '$1');
/** The stores of other editions of this site. */
const others = async () => (await caches.keys()).filter((name) => name.startsWith(STORES) && name !== OWN);

/** Fetches a file of this edition; of another edition it is refused by its digest. */
async function fetched(path) {
  const integrity = `sha256-${FILES[path]}`;
  const get = (cache) => fetch(ROOT + path, { integrity, cache });
  const answer = await get('force-cache').catch(() => get('reload'));
  if (!answer.ok || answer.redirected) throw new Error(`${answer.status} for ${path}`);
  const headers = new Headers(answer.headers);
  for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  headers.set('x-digest', FILES[path]);
  return new Response(answer.body, { headers });
}

/** The same file as another edition has kept it. */
async function inherited(path) {
  for (const name of await others()) {
    const kept = await (await caches.open(name)).match(ROOT + path);
    if (kept?.headers.get('x-digest') === FILES[path]) return kept;
  }
  return undefined;
}

async function keep(path) {
  const store = await own();
  if (await store.match(ROOT + path)) return;
  await store.put(ROOT + path, (await inherited(path)) ?? (await fetched(path)));
}

/** A new edition has all that every page needs, the pages that are open, and those that the edition before it had. Or it is none. */
async function install() {
  const wanted = new Set(Object.keys(SHELL));
  for (const { url } of await clients.matchAll({ type: 'window', includeUncontrolled: true })) wanted.add(place(url));
  for (const name of await others()) {
    for (const { url } of await (await caches.open(name)).keys()) wanted.add(place(url));
  }
  for (const path of wanted) if (known(path)) await keep(path);
  await skipWaiting();
}

async function activate() {
  const before = (await clients.matchAll({ includeUncontrolled: true })).map(({ id }) => id);
  await (await own()).put(BEFORE, new Response(JSON.stringify(before)));
  await clients.claim();
  await tidy();
}

/** Another edition goes when the last page goes that was open before this one took over: what such a page needs stays. */
async function tidy() {
  const names = await others();
  if (!names.length) return;
  const before = new Set(await (await (await own()).match(BEFORE))?.json() ?? []);
  const open = await clients.matchAll({ includeUncontrolled: true });
  if (open.some(({ id }) => before.has(id))) return;
  for (const name of names) await caches.delete(name);
}

/** A page: as the network has it, else as this edition has kept it. */
async function page(request, path) {
  const kept = await (await own()).match(ROOT + path);
  const late = new Promise((done) => setTimeout(done, PATIENCE, kept));
  try {
    const answer = await (kept ? Promise.race([fetch(request), late]) : fetch(request));
    return answer.status < 500 ? answer : (kept ?? answer);
  } catch {
    if (kept) return kept;
    return Response.redirect(ROOT + (known(`${path}/`) ? `${path}/` : OFFLINE));
  }
}

/** What a page needs: of its own edition, for names change with what is in them. */
async function file(request) {
  const { url } = request;
  let kept = await (await own()).match(url);
  for (const name of kept ? [] : await others()) kept ??= await (await caches.open(name)).match(url);
  return kept ?? fetch(request);
}

addEventListener('install', (event) => event.waitUntil(install()));
addEventListener('activate', (event) => event.waitUntil(activate()));
addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || !request.url.startsWith(ROOT)) return;
  const path = place(request.url);
  if (request.mode !== 'navigate') return event.respondWith(file(request));
  event.respondWith(page(request, path));
  return event.waitUntil(Promise.all([tidy(), known(path) && keep(path)]).catch(() => {}));
});
// A page has come to rest, and what was before it has gone. Where it may cost the reader, the rest of the book is not fetched.
addEventListener('message', (event) => event.waitUntil((async () => {
  await tidy();
  if (event.data === 'all') for (const path of Object.keys(PAGES)) await keep(path);
})().catch(() => {})));
