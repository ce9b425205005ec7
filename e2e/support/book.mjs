// A book of its own for a test: the built site with further labs in its chapter.

import { execFile } from 'node:child_process';
import { appendFile, cp, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CHAPTER, PROJECT, hosted, site } from './site.mjs';

/**
 * Serves a site whose chapter has further labs at its end, TOML by slug: the address of the chapter. It is written by the
 * press, with the program of the built site.
 */
export async function bookWith(t, labs) {
  const folder = await mkdtemp(join(tmpdir(), 'book-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const [dist, content] = [join(folder, 'dist'), join(folder, 'content')];
  await cp(site(), dist, { recursive: true });
  await cp(join(PROJECT, 'content'), content, { recursive: true });
  // A finished page is a template again without its title and its body.
  let page = await readFile(join(dist, 'index.html'), 'utf8');
  const [sheet] = /style-[0-9a-f]+\.css/.exec(page);
  // The press names its sheet by what is in it and removes those it was made from.
  await rename(join(dist, sheet), join(dist, 'sheet.css'));
  page = page.replaceAll(sheet, 'sheet.css');
  await writeFile(join(dist, 'index.html'), page.replace(/<title>[^]*?<\/title>/, '<title></title>')
    .replace(/<body([^>]*)>[^]*<\/body>/, '<body$1><main id="content"></main></body>'));
  const slug = CHAPTER.replace('/', '');
  const [chapter] = (await readdir(join(content, 'chapters'))).filter((name) => name.endsWith(`${slug}.md`));
  for (const [name, toml] of Object.entries(labs)) {
    await writeFile(join(content, 'labs', `${name}.toml`), toml);
    await appendFile(join(content, 'chapters', chapter), `\n{{lab ${name}}}\n`);
  }
  const run = promisify(execFile);
  await run('cargo', ['build', '--quiet', '--no-default-features', '--features', 'press', '--bin', 'press'], { cwd: PROJECT });
  const press = join(process.env.CARGO_TARGET_DIR ?? join(PROJECT, 'target'), 'debug', 'press');
  await run(press, [dist], { cwd: folder, maxBuffer: 1 << 24 });
  return (await hosted(t, dist)) + CHAPTER;
}
