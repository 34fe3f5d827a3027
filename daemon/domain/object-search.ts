/** Records by name, of every kind that the caller may see. */
import type { Scope } from '../contract/scopes.ts';
import type { Database } from '../store/database.ts';
import type { NamedRow, ObjectNameStore } from '../store/object-names.ts';
import { type Actor, mayActOn, roles } from './actor.ts';

export type ObjectKind = 'channel' | 'user' | 'token' | 'redemption';

export interface FoundObject extends NamedRow {
  readonly kind: ObjectKind;
}

interface Source {
  readonly kind: ObjectKind;
  /** What a machine token must be allowed to read. */
  readonly scope: Scope;
  readonly access: 'user' | 'admin';
  find(names: ObjectNameStore, actor: Actor, text: string): Promise<NamedRow[]>;
}

/** Of each kind. */
const mostFound = 5;

const sources: readonly Source[] = [
  {
    kind: 'channel',
    scope: 'channel:read',
    access: 'admin',
    find: (names, _actor, text) => names.channels(text, mostFound),
  },
  { kind: 'user', scope: 'user:read', access: 'admin', find: (names, _actor, text) => names.users(text, mostFound) },
  {
    kind: 'token',
    scope: 'token:read',
    access: 'user',
    find: (names, actor, text) => names.tokensOf(actor.userId, text, mostFound),
  },
  {
    kind: 'redemption',
    scope: 'redemption:read',
    access: 'admin',
    find: (names, _actor, text) => names.redemptions(text, mostFound),
  },
];

export class ObjectSearch {
  readonly #database: Database;

  constructor(deps: { readonly database: Database }) {
    this.#database = deps.database;
  }

  /** At most five of each kind, newest first; users find their own keys alone. */
  async find(actor: Actor, keyword: string): Promise<FoundObject[]> {
    const names = this.#database.stores.objectNames;
    const found = await Promise.all(
      sources
        .filter(({ access, scope }) => (access === 'user' || actor.role >= roles.admin) && mayActOn(actor, scope))
        .map(async ({ kind, find }) => (await find(names, actor, keyword)).map((row) => ({ kind, ...row }))),
    );
    return found.flat();
  }
}
