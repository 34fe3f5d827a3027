/** `export --reveal`: the keys of channels in the place of the variables that a document names for them. */
import type { Client } from '../daemon/contract/client.ts';
import { wholeFile } from './server-file.ts';

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface Revealed {
  readonly document: Members;
  /** Variables that the document still refers to. */
  readonly secrets: readonly string[];
  /** Channels whose keys stay unknown, since others have their name. */
  readonly ambiguous: readonly string[];
}

/** Keys by the name of their channel; undefined where several have it. The server writes who looked into its audit log. */
export async function keysByName(
  { channels, state }: Client,
  { set, tag }: { readonly set: string | undefined; readonly tag: string | undefined },
): Promise<ReadonlyMap<string, readonly string[] | undefined>> {
  const owned = set === undefined ? undefined : (await state.set({ name: set })).owned;
  const ids = owned?.flatMap(({ kind, id }) => (kind === 'channel' && id !== null ? [id] : []));
  if (ids?.length === 0) return new Map();
  const answer = await channels.export({ keys: true, format: 'json', tag, ids: ids?.join(',') });
  const rows: unknown = JSON.parse(await wholeFile(answer));
  const found = new Map<string, readonly string[] | undefined>();
  for (const row of Array.isArray(rows) ? rows.filter(isMembers) : []) {
    const name = String(row.name);
    found.set(name, found.has(name) ? undefined : keysOf(row.keys));
  }
  return found;
}

/** A key stands alone, or with its state. */
function keysOf(keys: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(keys) ? keys : [];
  return list.map((entry) => String(isMembers(entry) ? entry.key : entry));
}

/** The document with those keys in it. @param secrets variables that it refers to */
export function revealed(
  { document, secrets }: { readonly document: Members; readonly secrets: readonly string[] },
  keys: ReadonlyMap<string, readonly string[] | undefined>,
): Revealed {
  const before = isMembers(document.channels) ? document.channels : {};
  const named = new Set<string>();
  const ambiguous: string[] = [];
  const channels = Object.entries(before).map(([key, channel]) => {
    if (!isMembers(channel) || !Array.isArray(channel.keys)) return [key, channel];
    const known = keys.get(String(channel.name ?? key));
    if (known === undefined) {
      ambiguous.push(key);
      return [key, channel];
    }
    for (const reference of channel.keys) named.add(String(reference).replace(/^env:/, ''));
    return [key, { ...channel, keys: known }];
  });
  return {
    document: document.channels === undefined ? document : { ...document, channels: Object.fromEntries(channels) },
    secrets: secrets.filter((name) => !named.has(name)),
    ambiguous,
  };
}
