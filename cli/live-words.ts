/**
 * Words that only the server knows, for shells that complete: short names, asked for within 800 ms and kept for a
 * minute. Nothing here asks a person, prints or fails: what cannot be known is no word.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, unlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import type { CommandContext } from './context.ts';
import { fetchFor } from './fetch.ts';

/** A word that may follow, and what it is. */
export interface Candidate {
  readonly word: string;
  readonly text: string;
}

export type LiveKind = 'channel' | 'channel-id' | 'code' | 'group' | 'model' | 'option' | 'token' | 'user';

interface Row {
  readonly id: number | undefined;
  readonly name: string;
}

/** Calls whose answers are joined; of those that the caller may not make nothing is known. */
const calls: Readonly<Record<LiveKind, (search: string) => readonly string[]>> = {
  channel: (search) => [search === '' ? '/api/channel/?p=0&page_size=100' : `/api/channel/search?keyword=${search}`],
  'channel-id': () => ['/api/channel/?p=0&page_size=100'],
  code: (search) => [`/api/redemption/search?keyword=${search}&p=1&page_size=100`],
  group: () => ['/api/group/', '/api/user/self/groups'],
  model: () => ['/api/channel/models_enabled', '/api/user/models'],
  option: () => ['/api/option/'],
  token: (search) => [search === '' ? '/api/token/?p=0&size=100' : `/api/token/search?keyword=${search}`],
  user: (search) => [`/api/user/search?keyword=${search}&p=1&page_size=100`],
};

/** Kinds whose calls give a first page: with more rows than that the server searches by what was typed. */
const paged: readonly LiveKind[] = ['channel', 'code', 'token', 'user'];
const pageRows = 100;
const askedMs = 800;
const keptMs = 60_000;

/** Words of a kind, those that begin with `typed` among them. */
export async function liveWords(context: CommandContext, kind: LiveKind, typed: string): Promise<readonly Candidate[]> {
  const limit = new AbortController();
  // A timer that is left behind must not keep the shell waiting.
  const timer = setTimeout(() => limit.abort(), askedMs);
  const outOfTime = new Promise<readonly Row[]>((resolve) => {
    limit.signal.addEventListener('abort', () => resolve([]));
  });
  try {
    const rows = await Promise.race([rowsOf(context, { kind, typed, signal: limit.signal }), outOfTime]);
    return [...new Map(rows.map((row) => candidate(kind, row)).map((one) => [one.word, one])).values()];
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
    limit.abort();
  }
}

/** A name that a shell takes as one plain word; any other is offered by its id. */
function candidate(kind: LiveKind, { id, name }: Row): Candidate {
  const isPlain = /^[\p{L}\p{N}_][\p{L}\p{N}\p{M}._@:/+-]*$/u.test(name);
  // A name of digits alone would be taken for an id.
  if (kind !== 'channel-id' && isPlain && (id === undefined || !/^\d+$/.test(name)))
    return { word: name, text: id === undefined ? '' : `#${id}` };
  return { word: id === undefined ? '' : String(id), text: name.replace(/[\p{Cc}\p{Bidi_Control}\s]+/gu, ' ') };
}

interface Wish {
  readonly kind: LiveKind;
  readonly typed: string;
  readonly signal: AbortSignal;
}

async function rowsOf(context: CommandContext, { kind, typed, signal }: Wish): Promise<readonly Row[]> {
  const { url, token, settings } = await context.target();
  if (token === undefined) return [];
  await context.refusePlain(url);
  const folder = cacheFolder(context.environment);
  // What is kept is answered without loading what makes calls.
  let call: ReturnType<typeof fetchFor> | undefined;
  const calling = () => (call ??= fetchFor({ environment: context.environment, caFile: settings.ca_file, signal }));
  const ask = async (search: string): Promise<readonly Row[]> => {
    // Another credential sees other names.
    const digest = createHash('sha256').update([url, token, kind, search].join('\n')).digest('hex').slice(0, 32);
    const file = join(folder, `${digest}.json`);
    const kept = await readKept(file);
    if (kept) return kept;
    const answers = await Promise.allSettled(
      calls[kind](encodeURIComponent(search)).map(async (path) => {
        const send = await calling();
        const response = await send(`${url}${path}`, { method: 'GET', headers: { authorization: `Bearer ${token}` } });
        return rowsIn(await response.json());
      }),
    );
    const known = answers.flatMap((answer) => (answer.status === 'fulfilled' && answer.value ? [answer.value] : []));
    const rows = known.flat();
    if (known.length > 0) await keep(folder, file, rows);
    return rows;
  };
  const first = await ask('');
  const isWhole = !paged.includes(kind) || first.length < pageRows || typed === '';
  return isWhole ? first : [...first, ...(await ask(typed))];
}

/** The rows of an answer: names, objects with a name, or an object by name; undefined for a refusal. */
function rowsIn(answer: unknown): Row[] | undefined {
  const { success, data } = membersOf(answer);
  if (success !== true) return undefined;
  const { items } = membersOf(data);
  const rows = Array.isArray(data) ? data : Array.isArray(items) ? items : Object.keys(membersOf(data));
  return rows.flatMap((row: unknown): Row[] => {
    if (typeof row === 'string') return [{ id: undefined, name: row }];
    const { id, name, username, key } = membersOf(row);
    // Rows of options have a key; rows of relay keys have a name beside their key, which is a secret.
    const shown = name ?? username ?? (id === undefined ? key : undefined);
    return typeof shown === 'string' ? [{ id: typeof id === 'number' ? id : undefined, name: shown }] : [];
  });
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function cacheFolder(environment: NodeJS.ProcessEnv): string {
  const base = process.platform === 'win32' ? environment.LOCALAPPDATA : environment.XDG_CACHE_HOME;
  return join(base || join(environment.HOME ?? homedir(), '.cache'), 'tollgate');
}

/** What was kept less than a minute ago; undefined for anything else. */
async function readKept(file: string): Promise<Row[] | undefined> {
  try {
    const { mtimeMs } = await stat(file);
    const age = Date.now() - mtimeMs;
    if (age < 0 || age > keptMs) return undefined;
    const kept: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (!Array.isArray(kept)) return undefined;
    return kept.flatMap((row: unknown): Row[] => {
      const { id, name } = membersOf(row);
      return typeof name === 'string' ? [{ id: typeof id === 'number' ? id : undefined, name }] : [];
    });
  } catch {
    return undefined;
  }
}

/** Keeps rows for the owner's eyes, and clears away what is too old. A cache that cannot be written is none. */
async function keep(folder: string, file: string, rows: readonly Row[]): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFileAtomic(file, JSON.stringify(rows), { mode: 0o600, fsync: false });
    const names = (await readdir(folder)).filter((name) => /^[0-9a-f]{32}\.json$/.test(name));
    await Promise.all(
      names.map(async (name) => {
        const path = join(folder, name);
        if (Date.now() - (await stat(path)).mtimeMs > keptMs) await unlink(path);
      }),
    );
  } catch {
    // Asked again next time.
  }
}
