/** The keys of a channel: from one text to rows and back, keeping what is known about keys that remain (REQ-28). */
import type { ChannelType } from '../contract/channel-types.ts';
import { TollgateError } from '../errors.ts';
import type { ChannelKeyRecord } from '../store/channel-keys.ts';

/** Splits the key text of a form into single keys: trimmed, without empty ones and repeats. */
export function splitKeys(text: string, type: Pick<ChannelType, 'keyForm'>): string[] {
  const parts = type.keyForm === 'json' ? splitJsonKeys(text) : splitLines(text);
  return [...new Set(parts.map((part) => part.trim()).filter((part) => part !== ''))];
}

/** What a server without a login is sent: it takes any word. */
const anyKey = 'none';

/** The keys of a channel that has none yet, among them the one that stands for none. */
export function firstKeys(text: string, type: Pick<ChannelType, 'keyForm' | 'keyOptional'>): string[] {
  const keys = splitKeys(text, type);
  return keys.length === 0 && type.keyOptional === true ? [anyKey] : keys;
}

/** Each is sealed, and opened again on every node: a hundred thousand held up everybody for ten seconds. */
const mostKeys = 10_000;

/** Throws `channel_keys_too_many` for a channel, or a batch, of more keys than are taken in. */
export function checkKeyCount(count: number): void {
  if (count > mostKeys) throw new TollgateError('channel_keys_too_many', { most: mostKeys }, { field: 'key' });
}

function splitLines(text: string): string[] {
  return text.split(/[,\r\n]/);
}

/**
 * A JSON list is several keys, and so are objects behind each other, as whole files are pasted; one object is a key as
 * it stands. What is no JSON are the plain keys that such a type takes too.
 */
function splitJsonKeys(text: string): string[] {
  const trimmed = text.trim();
  if (!/^[[{]/.test(trimmed)) return splitLines(text);
  if (trimmed.startsWith('{') && parseJson(trimmed) !== undefined) return [text];
  const list = parseJson(trimmed.startsWith('[') ? trimmed : `[${trimmed.replace(/\}\s*(?:,\s*)?\{/g, '},{')}]`);
  if (!Array.isArray(list)) return [text];
  return list.map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The key is stored as it stands, and a test of the channel says that it is none.
    return undefined;
  }
}

/** The one text in which keys travel: a comma list, or for JSON keys the object itself or a list of them. */
export function joinKeys(keys: readonly string[], type: Pick<ChannelType, 'keyForm'>): string {
  if (type.keyForm !== 'json') return keys.join(',');
  if (keys.length === 1) return keys[0] ?? '';
  return `[${keys.map((key) => (key.startsWith('{') ? key : JSON.stringify(key))).join(',')}]`;
}

/** What has to happen to the rows of a channel so that it holds the wanted keys. */
export interface KeyChange {
  /** Keys without a row yet, with the place they take. */
  readonly added: readonly { readonly key: string; readonly position: number }[];
  /** Rows whose place changed. */
  readonly moved: readonly { readonly id: number; readonly position: number }[];
  /** Ids of rows whose key is gone. */
  readonly removed: readonly number[];
}

/**
 * Compares rows and wanted keys by hash: a key that remains keeps its row with status, errors and cap. `append` keeps
 * every row and puts new keys behind.
 */
export function changeKeys(
  rows: readonly ChannelKeyRecord[],
  wanted: { readonly keys: readonly string[]; readonly mode: 'replace' | 'append'; hashOf: (key: string) => string },
): KeyChange {
  const known = new Map(rows.map((row) => [row.keyHash, row]));
  // One by one: a call takes about a hundred thousand arguments.
  const behind = rows.reduce((last, row) => Math.max(last, row.position), -1) + 1;
  const added: { key: string; position: number }[] = [];
  const moved: { id: number; position: number }[] = [];
  const seen = new Set<string>();
  for (const key of wanted.keys) {
    const hash = wanted.hashOf(key);
    if (seen.has(hash)) continue;
    seen.add(hash);
    const row = known.get(hash);
    if (row && wanted.mode === 'append') continue;
    const position = wanted.mode === 'append' ? behind + added.length : seen.size - 1;
    if (!row) added.push({ key, position });
    else if (row.position !== position) moved.push({ id: row.id, position });
  }
  const removed = wanted.mode === 'append' ? [] : rows.filter((row) => !seen.has(row.keyHash)).map((row) => row.id);
  return { added, moved, removed };
}
