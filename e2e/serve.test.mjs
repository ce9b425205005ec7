// The README's first command: builds, serves, says where, rebuilds on a change, and ends when asked.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { browser, open } from './support/browser.mjs';
import { liveLab } from './support/lab.mjs';
import { CHAPTER, LABS, PROJECT } from './support/site.mjs';

/** A cold build of everything takes this long on a small machine, in milliseconds. */
const BUILD = 25 * 60_000;

const freePort = () => new Promise((done, failed) => {
  const server = createServer().once('error', failed).listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => done(port));
  });
});

async function waitFor(what, find, { child, said }, limit = BUILD) {
  const end = Date.now() + limit;
  while (Date.now() < end) {
    const found = await find();
    if (found) return found;
    assert.equal(child.exitCode, null, `it ended: ${said()}`);
    await new Promise((done) => setTimeout(done, 250));
  }
  return assert.fail(`waited in vain for ${what}: ${said()}`);
}

test('cargo xtask serve serves the live chapter, and follows a change of content', { timeout: 2 * BUILD }, async (t) => {
  const port = await freePort();
  const home = `http://127.0.0.1:${port}/`;
  // A process group of its own, as a terminal would make: Ctrl-C goes to all of it.
  const child = spawn('cargo', ['xtask', 'serve', '--port', String(port)], {
    cwd: PROJECT, detached: true, stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => { log += text; });
  const running = { child, said: () => log.slice(-3_000) };
  const ended = new Promise((done) => { child.once('close', done); });
  const interrupt = (signal) => { try { process.kill(-child.pid, signal); } catch { /* it has ended */ } };
  t.after(() => interrupt('SIGKILL'));

  const chapter = () => fetch(home + CHAPTER).then((answer) => (answer.ok ? answer.text() : undefined), () => undefined);
  await waitFor('the chapter', chapter, running);
  assert.ok(log.includes(home), `it says where to look: ${log.slice(0, 2_000)}`);

  const page = await open(await browser(t), home + CHAPTER);
  for (const slug of LABS) await liveLab(page, slug);
  assert.deepEqual(page.faults, []);
  assert.equal((await fetch(`${home}nowhere`)).status, 404);

  // A file of the content is saved again, unchanged: the site is built anew. Trunk does not see a change within
  // a second of its last build, so it is saved now and then until it does.
  const content = join(PROJECT, 'content', 'labs', `${LABS[0]}.toml`);
  const builds = () => log.split('success').length;
  const before = builds();
  let saved = 0;
  await waitFor('another build', async () => {
    if (Date.now() > saved + 5_000) {
      saved = Date.now();
      await writeFile(content, await readFile(content));
    }
    return builds() > before;
  }, running, 5 * 60_000);
  await waitFor('the chapter', chapter, running);

  interrupt('SIGINT');
  await ended;
  await assert.rejects(fetch(home), 'the port is free again');
});
