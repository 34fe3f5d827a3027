/**
 * Puts a finished console where the daemon looks for it. Each file gets its compressed forms beside it, and what tabs
 * of the build before still ask for stays for a day. Plain file work; nothing here knows what a console is.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const keptMs = 24 * 3600 * 1000;
const compressible = /\/[^./][^/]*\.(?:css|html|js|json|svg|txt|webmanifest)$/;

/** Compresses the files of the draft, adds the hashed files of the folder it replaces, and takes its place. */
export async function publishConsole(draft, folder) {
  nameByContent(draft, 'theme-boot.js');
  await Promise.all(
    filesBelow(draft)
      .filter((path) => compressible.test(path))
      .map(compress),
  );
  keepOldAssets(join(folder, 'assets'), join(draft, 'assets'));
  swap(draft, folder);
}

/** A script that the page waits for must not be asked about at each visit, as other files outside the bundle are. */
function nameByContent(draft, name) {
  const hash = createHash('sha256')
    .update(readFileSync(join(draft, name)))
    .digest('base64url')
    .slice(0, 8);
  const asset = `assets/${name.replace('.', `-${hash}.`)}`;
  const document = join(draft, 'index.html');
  renameSync(join(draft, name), join(draft, asset));
  writeFileSync(document, readFileSync(document, 'utf8').replace(`"/${name}"`, `"/${asset}"`));
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

async function compress(path) {
  const plain = readFileSync(path);
  const brotli = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length } };
  const forms = { br: promisify(brotliCompress)(plain, brotli), gz: promisify(gzip)(plain, { level: 9 }) };
  for (const [ending, form] of Object.entries(forms)) {
    const bytes = await form;
    if (bytes.length < plain.length) await writeFile(`${path}.${ending}`, bytes);
  }
}

/** A file's time says when it was last part of a build. */
function keepOldAssets(from, to) {
  if (!existsSync(from)) return;
  for (const name of readdirSync(from)) {
    const isRecent = Date.now() - statSync(join(from, name)).mtimeMs < keptMs;
    if (isRecent && !existsSync(join(to, name))) linkSync(join(from, name), join(to, name));
  }
}

/** In two renames: whoever opens the folder finds the old console or the new one, never a mixture. */
function swap(draft, folder) {
  const old = `${folder}.old.${process.pid}`;
  mkdirSync(dirname(folder), { recursive: true });
  rmSync(old, { recursive: true, force: true });
  if (existsSync(folder)) renameSync(folder, old);
  renameSync(draft, folder);
  rmSync(old, { recursive: true, force: true });
}
