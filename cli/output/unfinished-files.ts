/** Files of results that were never finished: a run that is killed can neither put its own in its place nor remove it. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Bilingual, both } from '../language.ts';
import { behindLinks, ResultFile, type ResultFileWish } from './result-file.ts';

/** Names that are told; more of them say no more. */
const mostNamed = 3;

interface Teller {
  note(text: string): void;
  say(text: Bilingual): string;
}

/**
 * Opens the file of a result, and names what lies unfinished beside it. That may be of a run that still works, so it is
 * not removed. Throws exit 3 and 12.
 */
export async function openResultFile(teller: Teller, path: string, wish: ResultFileWish): Promise<ResultFile> {
  const unfinished = await unfinishedBeside(path);
  const file = await ResultFile.open(path, wish);
  if (unfinished.length > 0) teller.note(teller.say(unfinishedText(unfinished)));
  return file;
}

async function unfinishedBeside(path: string): Promise<string[]> {
  const place = await behindLinks(path);
  const folder = dirname(place);
  const name = basename(place);
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((found) => found.startsWith(`${name}.`) && /^\.[0-9a-f]{8}\.part$/.test(found.slice(name.length)))
    .sort()
    .map((found) => join(folder, found));
}

function unfinishedText(files: readonly string[]): Bilingual {
  const named = files.slice(0, mostNamed).join(', ');
  const more = files.length > mostNamed ? ', …' : '';
  return both(
    'unfinished files of earlier runs, to be deleted unless one still works: {files}',
    '发现先前运行未完成的文件，如无命令仍在运行可删除：{files}',
    { files: `${named}${more}` },
  );
}
