/** Limits by the minute in one list, wherever they are kept: rows of keys, the option `RateLimits`, keys of channels. */
import type { Counters, Draw } from '../cluster/counters.ts';
import { limitKinds } from '../contract/limits.ts';
import type { OptionsView } from '../contract/options.ts';
import type { RateLimit, RateLimitTable } from '../contract/rate-limits.ts';
import { roles } from '../contract/roles.ts';
import { TollgateError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import type { Actor } from './actor.ts';
import type { ChannelKeyService } from './channel-key-rows.ts';
import { autoGroup, groupNames } from './groups.ts';
import type { OptionService } from './options.ts';
import type { TokenService } from './tokens.ts';

export type LimitKind = 'rpm' | 'tpm' | 'concurrency';

/** One limit, with what is used of it as far as it is known. */
export interface LimitState {
  /** As the contract writes it, such as `user:alice`. */
  readonly on: string;
  readonly kind: LimitKind;
  readonly limit: number;
  readonly used: number | undefined;
  /** Unix seconds. */
  readonly resetsAt: number | undefined;
}

/** What changes: undefined and null stay, 0 lifts. */
export type LimitWish = { readonly [Kind in LimitKind]?: number | null | undefined };

export interface LimitServiceDeps {
  readonly database: Database;
  readonly options: () => OptionsView;
  readonly optionService: Pick<OptionService, 'edit'>;
  readonly tokens: Pick<TokenService, 'update' | 'get'>;
  readonly keys: Pick<ChannelKeyService, 'change'>;
  readonly counters: Pick<Counters, 'draw'>;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
}

/** Keys of one user that are looked through. */
const mostKeys = 10_000;
type Table = 'token' | 'user' | 'group' | 'model';

/** A limit and the name its counter has behind `rate:<kind>:`; undefined where there is no single one. */
interface Kept {
  readonly on: string;
  readonly limit: RateLimit;
  readonly counter: string | undefined;
}

export class LimitService {
  readonly #deps: LimitServiceDeps;

  constructor(deps: LimitServiceDeps) {
    this.#deps = deps;
  }

  /** Those of the actor's keys; for administrators also those of the site. */
  async list(actor: Actor): Promise<LimitState[]> {
    const { tokens } = this.#deps.database.stores;
    const own = (await tokens.list(actor.userId, { offset: 0, limit: mostKeys })).items;
    const kept: Kept[] = own.map(({ id, rpmLimit: rpm, tpmLimit: tpm, concurrencyLimit: concurrency }) => {
      return { on: `token:${id}`, limit: { rpm, tpm, concurrency }, counter: `token:${id}` };
    });
    if (actor.role >= roles.admin) kept.push(...(await this.#ofTable()), ...(await this.#ofChannelKeys()));
    const limits = kept.flatMap(({ on, limit, counter }) =>
      limitKinds.flatMap((kind) => ((limit[kind] ?? 0) > 0 ? [{ on, kind, limit: limit[kind] ?? 0, counter }] : [])),
    );
    return Promise.all(limits.map((limit) => this.#withUse(limit)));
  }

  /**
   * Throws `token_not_found`, `user_not_found`, `group_unknown`, `channel_not_found`, `channel_key_not_found`,
   * `forbidden_role`. A model may be named before anything serves it, as with prices.
   */
  async set(actor: Actor, on: string, wish: LimitWish): Promise<void> {
    const { rpm, tpm, concurrency } = wish;
    const [kind, name] = parted(on);
    if (kind === 'token' && name !== '*') {
      const limits = { rpm_limit: rpm, tpm_limit: tpm, concurrency_limit: concurrency };
      await this.#deps.tokens.update(actor, Number(name), limits);
      return;
    }
    if (actor.role < roles.admin) throw new TollgateError('forbidden_role');
    if (kind === 'channel-key') {
      const [channelId = '', keyHash = ''] = name.split('/');
      await this.#deps.keys.change(actor, Number(channelId), { keyHash, cap: rpm, tpm, concurrency });
      return;
    }
    const key = await this.#keyOf(kind, name);
    if (key === undefined) throw new TollgateError('user_not_found', {}, { field: 'on' });
    if (kind === 'group' && !this.#isGroup(name))
      throw new TollgateError('group_unknown', { group: name }, { field: 'on' });
    await this.#edit(actor, (table) => {
      const before = table[kind] ?? {};
      const given = limitKinds.flatMap((each) => (typeof wish[each] === 'number' ? [[each, wish[each]]] : []));
      return { ...table, [kind]: { ...before, [key]: { ...before[key], ...Object.fromEntries(given) } } };
    });
  }

  /** Lifts all of them. Throws as `set`, and `limit_not_found`. */
  async delete(actor: Actor, on: string): Promise<void> {
    const [kind, name] = parted(on);
    if (kind === 'channel-key' || (kind === 'token' && name !== '*')) {
      return this.set(actor, on, { rpm: 0, tpm: 0, concurrency: 0 });
    }
    if (actor.role < roles.admin) throw new TollgateError('forbidden_role');
    const key = (await this.#keyOf(kind, name)) ?? name;
    await this.#edit(actor, (table) => {
      const entries = table[kind] ?? {};
      // Every object answers to names such as `constructor`.
      if (!Object.hasOwn(entries, key)) throw new TollgateError('limit_not_found');
      const { [key]: _gone, ...rest } = entries;
      return { ...table, [kind]: rest };
    });
  }

  /**
   * Calls are looked up by the name as the account has it; nobody else may have it in other letters. Undefined for the
   * name of nobody.
   */
  async #keyOf(kind: Table, name: string): Promise<string | undefined> {
    const isKnown = () => Object.hasOwn(this.#deps.options().get('RateLimits').user ?? {}, name);
    if (kind !== 'user' || name === '*' || isKnown()) return name;
    return (await this.#deps.database.stores.users.findByUsername(name))?.username;
  }

  /** A group, `auto`, each of them, or the entry of one that is gone: its limits can still be lifted one by one. */
  #isGroup(name: string): boolean {
    const options = this.#deps.options();
    const { group: entries = {} }: RateLimitTable = options.get('RateLimits');
    const isAuto = name === autoGroup && options.get('AutoGroups').length > 0;
    return name === '*' || isAuto || groupNames(options).includes(name) || Object.hasOwn(entries, name);
  }

  async #edit(actor: Actor, change: (table: TableOfAll) => TableOfAll): Promise<void> {
    await this.#deps.optionService.edit(actor, ['RateLimits'], {
      change: (options) => ({ RateLimits: change(options.get('RateLimits')) }),
      version: { cause: 'edit', note: '' },
    });
  }

  async #ofTable(): Promise<Kept[]> {
    const table: TableOfAll = this.#deps.options().get('RateLimits');
    const entries = (['token', 'user', 'group', 'model'] as const).flatMap((kind) =>
      Object.entries(table[kind] ?? {}).map(([name, limit]) => ({ kind, name, limit })),
    );
    const { users } = this.#deps.database.stores;
    return Promise.all(
      entries.map(async ({ kind, name, limit }) => {
        const isMany = name.endsWith('*');
        const user = kind === 'user' && !isMany ? await users.findByUsername(name) : undefined;
        const counted = kind === 'user' ? user?.id : name;
        const counter = isMany || counted === undefined ? undefined : `${kind}:${counted}`;
        return { on: `${kind}:${name}`, limit, counter };
      }),
    );
  }

  async #ofChannelKeys(): Promise<Kept[]> {
    const rows = await this.#deps.database.stores.channelKeys.all();
    return rows.map(({ id, channelId, keyHash, cap: rpm, tpm, concurrency }) => {
      const on = `channel-key:${channelId}/${keyHash}`;
      return { on, limit: { rpm, tpm, concurrency }, counter: `channel-key:${id}` };
    });
  }

  async #withUse(row: {
    on: string;
    kind: LimitKind;
    limit: number;
    counter: string | undefined;
  }): Promise<LimitState> {
    const { on, kind, limit, counter } = row;
    const unknown = { on, kind, limit, used: undefined, resetsAt: undefined };
    if (counter === undefined || kind === 'concurrency') return unknown;
    const draw: Draw = { key: `rate:${kind}:${counter}`, limit, amount: 0 };
    const [slot] = (await this.#deps.counters.draw([draw])).slots;
    if (slot === undefined) return unknown;
    const used = Math.max(0, limit - slot.remaining);
    const resetsAt = used === 0 ? undefined : this.#deps.nowSeconds() + Math.ceil(slot.resetMs / 1000);
    return { on, kind, limit, used, resetsAt };
  }
}

type TableOfAll = RateLimitTable & { readonly [Kind in Table]?: Readonly<Record<string, RateLimit>> };

function parted(on: string): [kind: Table | 'channel-key', name: string] {
  const kind = (['token', 'user', 'group', 'model'] as const).find((each) => on.startsWith(`${each}:`));
  return kind === undefined ? ['channel-key', on.slice('channel-key:'.length)] : [kind, on.slice(kind.length + 1)];
}
