/** Records by name, of every kind that the caller may see. */
import { roles } from '../contract/roles.ts';
import type { Scope } from '../contract/scopes.ts';
import type { Database } from '../store/database.ts';
import type { NamedRow, ObjectNameStore } from '../store/object-names.ts';
import { type Actor, mayActOn } from './actor.ts';
import type { ChannelSecrets } from './channel-writer.ts';

export type ObjectKind = 'channel' | 'user' | 'token' | 'redemption';

export interface FoundObject extends NamedRow {
  readonly kind: ObjectKind;
}

interface Search {
  readonly text: string;
  /** Names that a channel's key may have if the text is the key, or its name. */
  readonly keyHashes: readonly string[];
}

interface Source {
  readonly kind: ObjectKind;
  /** What a machine token must be allowed to read. */
  readonly scope: Scope;
  readonly access: 'user' | 'admin';
  find(names: ObjectNameStore, actor: Actor, search: Search): Promise<NamedRow[]>;
}

/** Of each kind. */
const mostFound = 5;

const sources: readonly Source[] = [
  {
    kind: 'channel',
    scope: 'channel:read',
    access: 'admin',
    find: (names, _actor, { text, keyHashes }) => names.channels(text, keyHashes, mostFound),
  },
  {
    kind: 'user',
    scope: 'user:read',
    access: 'admin',
    find: (names, _actor, { text }) => names.users(text, mostFound),
  },
  {
    kind: 'token',
    scope: 'token:read',
    access: 'user',
    find: (names, actor, { text }) => names.tokensOf(actor.userId, text, mostFound),
  },
  {
    kind: 'redemption',
    scope: 'redemption:read',
    access: 'admin',
    find: (names, _actor, { text }) => names.redemptions(text, mostFound),
  },
];

export interface ObjectSearchDeps {
  readonly database: Database;
  readonly secrets: Pick<ChannelSecrets, 'channelKeyHash'>;
}

export class ObjectSearch {
  readonly #deps: ObjectSearchDeps;

  constructor(deps: ObjectSearchDeps) {
    this.#deps = deps;
  }

  /**
   * At most five of each kind, newest first; users find their own keys alone. A channel is also found by a whole key of
   * it and by the name of one, never by a part of either.
   */
  async find(actor: Actor, keyword: string): Promise<FoundObject[]> {
    const names = this.#deps.database.stores.objectNames;
    const search = { text: keyword, keyHashes: [keyword, this.#deps.secrets.channelKeyHash(keyword)] };
    const found = await Promise.all(
      sources
        .filter(({ access, scope }) => (access === 'user' || actor.role >= roles.admin) && mayActOn(actor, scope))
        .map(async ({ kind, find }) => (await find(names, actor, search)).map((row) => ({ kind, ...row }))),
    );
    return found.flat();
  }
}
