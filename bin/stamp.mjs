/** What `dist/` was built from, as one short text that changes when any source file does. Node's own modules only. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder, with a slash at its end. */
export const root = fileURLToPath(new URL('../', import.meta.url));

/** Holds the stamp of the last complete build. */
export const stampFile = join(root, 'dist/.stamp');

const sources = ['bin', 'cli', 'console', 'daemon', 'migrations', 'package-lock.json', 'tsconfig.json'];

/** Names, sizes and change times of all sources; contents are not read, so that it stays cheap. */
export function sourceStamp() {
  const hash = createHash('sha256');
  hash.update(process.versions.node.split('.')[0]);
  for (const name of sources) if (existsSync(join(root, name))) add(hash, name);
  return hash.digest('hex');
}

function add(hash, path) {
  const found = statSync(join(root, path));
  if (!found.isDirectory()) {
    hash.update(`${path}\0${found.size}\0${found.mtimeMs}\n`);
    return;
  }
  for (const name of readdirSync(join(root, path)).sort()) add(hash, `${path}/${name}`);
}
