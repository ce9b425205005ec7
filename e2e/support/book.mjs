// A copy of the book with more in it: a lab's file and one line in a chapter for each, pressed into a copy of the built site.
// No program is built for it but the press, which trunk's build has made already.

import { spawnSync } from 'node:child_process';
import { appendFile, cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHAPTER, PROJECT, hosted, site } from './site.mjs';

/** The lab of two thousand messages, which stands in no chapter of the book. */
export const MANY = 'two-thousand';

/** The same as labs of {@link siteWith}. */
export const many = async () => ({ [MANY]: await readFile(join(PROJECT, 'tests', 'new-lab', `${MANY}.toml`), 'utf8') });

/** The template that a finished page was made from: its head with the site's own files, and nothing of the book. */
function template(page) {
  const blank = page
    .replace(/<meta (?:http-equiv|name|property)="(?!lab-assets)[^>]*>\s*/g, '')
    .replace(/<link rel="(?:alternate|apple-touch-icon|canonical|manifest)"[^>]*>\s*/g, '')
    .replace(/<script [^>]*(?:reader|scheme)-[0-9a-f]{16}\.js"[^>]*><\/script>\s*/g, '')
    .replace(/<title>[^]*?<\/title>/, '<title></title>')
    .replace(/<body>[^]*<\/body>/, '<body>\n<main id="content"></main>\n</body>');
  if (!blank.includes('name="lab-assets"')) throw new Error('The page of the site names no program for its labs.');
  return blank;
}

/** Serves a site whose book has these labs as well, for a test: the address of their chapter. */
export async function bookWith(t, labs) {
  const { folder, close } = await siteWith(labs);
  t.after(close);
  return (await hosted(t, folder)) + CHAPTER;
}

/**
 * The folder of a site whose book has more labs, TOML by slug, at the end of the chapter with the labs; removed by `close`.
 * `from` is the built site to start from; `line` stands first in the file of the book.
 */
export async function siteWith(labs, from = site(), line = '') {
  const folder = await mkdtemp(join(tmpdir(), 'delivery-lab-book-'));
  const close = () => rm(folder, { recursive: true, force: true });
  try {
    const dist = join(folder, 'dist');
    await cp(from, dist, { recursive: true });
    await cp(join(PROJECT, 'content'), join(folder, 'content'), { recursive: true });

    const book = join(folder, 'content', 'book.toml');
    await writeFile(book, `${line}\n${await readFile(book, 'utf8')}`);

    const chapters = join(folder, 'content', 'chapters');
    const name = (await readdir(chapters)).find((each) => each.endsWith(`-${CHAPTER.replace('/', '')}.md`));
    for (const [slug, toml] of Object.entries(labs)) {
      // All that a new lab takes: its file …
      await writeFile(join(folder, 'content', 'labs', `${slug}.toml`), toml);
      // … and one line.
      await appendFile(join(chapters, name), `\n{{lab ${slug}}}\n`);
    }

    await writeFile(join(dist, 'index.html'), template(await readFile(join(dist, 'index.html'), 'utf8')));
    const pressed = spawnSync('cargo', [
      'run', '--quiet', '--locked', '--manifest-path', join(PROJECT, 'Cargo.toml'),
      '--no-default-features', '--features', 'press', '--bin', 'press', '--', dist,
    ], { cwd: folder, encoding: 'utf8' });
    if (pressed.status !== 0) throw new Error(`The press did not write the book with ${Object.keys(labs)}:\n${pressed.stderr}`);
    return { folder: dist, close };
  } catch (error) {
    await close();
    throw error;
  }
}
