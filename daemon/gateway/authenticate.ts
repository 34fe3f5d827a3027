/** Step 2: who calls. Decided before the body is read, from cached identities (relay.md 3). */
import type { IncomingHttpHeaders } from 'node:http';
import { roles } from '../contract/roles.ts';
import type { Actor } from '../domain/actor.ts';
import { AddressList } from '../domain/address-list.ts';
import { isExpired, refusalOfToken } from '../domain/token-state.ts';
import { TollgateError } from '../errors.ts';
import type { ChannelView } from '../snapshots/channel-view.ts';
import type { Identities, Identity } from '../snapshots/identities.ts';
import type { Snapshot } from '../snapshots/snapshots.ts';
import type { ClientRequest, Exchange } from './exchange.ts';
import { aliasesOf, type ModelAliases } from './model-aliases.ts';

type Token = Identity['token'];
type User = Identity['user'];

/** Whoever pays for a request. */
export interface Caller {
  readonly user: User;
  /** Undefined for the playground, which has no key. */
  readonly token: Token | undefined;
  /** The group whose abilities and ratio apply. */
  readonly group: string;
  /** Client-visible names the key is limited to; undefined without limits. */
  readonly allowedModels: ReadonlySet<string> | undefined;
  /** The key's own names of models; undefined where it has none. */
  readonly aliases: ModelAliases | undefined;
  /** A channel that an administrator named behind the key. */
  readonly pinnedChannelId: number | undefined;
}

export interface AuthenticateDeps {
  readonly identities: Pick<Identities, 'resolve' | 'resolveUser'>;
  /** Look-up form of a key; the only form that is ever compared. */
  readonly tokenHash: (key: string) => string;
  /** Notes that a key was found expired or used up; conditional on status 1, and never awaited by a request. */
  readonly markToken: (tokenId: number, state: 'expired' | 'exhausted') => void;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** A key as its owner wrote it, taken apart. */
export interface PresentedKey {
  readonly key: string;
  /** Text behind the key, which names a channel; undefined without one. */
  readonly pin: string | undefined;
}

/** Places of keys that only some paths know, beside those of all. */
export type OwnPlaces = 'none' | 'google' | 'drawing';

const KEY_SHAPE = /^[A-Za-z0-9]{48}$/;
/** Names the channel that an administrator wants to try in the playground. */
const PIN_HEADER = 'tollgate-channel';
/** Stands in `Authorization` of drawing clients that carry their key elsewhere. */
const NO_KEY = 'midjourney-proxy';

/**
 * The one key among all places this request may carry it in. Throws `access_denied` when there is none or its shape is
 * wrong, `credentials_conflict` when two places disagree.
 */
export function presentedKey(request: Pick<ClientRequest, 'headers' | 'queryKey'>, own: OwnPlaces): PresentedKey {
  const { headers } = request;
  let found: string | undefined;
  const take = (value: string | undefined): void => {
    // No key holds a comma: it parts the values of a header that came more than once.
    if (value?.includes(',')) {
      for (const one of value.split(',')) take(one);
      return;
    }
    const key = value === undefined ? '' : stripKey(value);
    if (key === '') return;
    if (found !== undefined && found !== key) throw new TollgateError('credentials_conflict');
    found = key;
  };
  take(headers.authorization);
  take(single(headers, 'x-api-key'));
  take(single(headers, 'api-key'));
  if (own === 'google') {
    take(request.queryKey);
    take(single(headers, 'x-goog-api-key'));
  } else if (own === 'drawing') take(single(headers, 'mj-api-secret'));
  if (found === undefined) throw new TollgateError('access_denied');
  const dash = found.indexOf('-');
  const key = dash < 0 ? found : found.slice(0, dash);
  const pin = dash < 0 ? undefined : found.slice(dash + 1);
  if (!KEY_SHAPE.test(key) || pin?.includes('-') || pin === '') throw new TollgateError('access_denied');
  return { key, pin };
}

function single(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

function stripKey(value: string): string {
  let key = value.trim();
  // A client whose variable for the key is empty sends the word alone, its space cut off on the way.
  if (/^bearer(?:\s|$)/i.test(key)) key = key.slice(7).trim();
  if (key === NO_KEY) return '';
  return key.startsWith('sk-') ? key.slice(3) : key;
}

/** Finds out who calls; remembers what the texts of a token row mean for as long as the row is cached. */
export class Authenticator {
  readonly #deps: AuthenticateDeps;
  readonly #facts = new WeakMap<Token, TokenFacts>();
  /** The key that a connection presented last, and its hash: most bring the same one with every request. */
  readonly #hashes = new WeakMap<object, ReadonlyMap<string, string>>();

  constructor(deps: AuthenticateDeps) {
    this.#deps = deps;
  }

  /** Runs checks 1 to 14 of relay.md 3.3 in their order; a promise only when the identity is not cached. */
  authenticate(exchange: Exchange): Caller | Promise<Caller> {
    if (exchange.signIn !== undefined) return this.#signedIn(exchange, exchange.signIn);
    const presented = presentedKey(exchange.request, ownPlacesOf(exchange));
    const identity = this.#deps.identities.resolve(this.#hashOf(presented.key, exchange.request.connection));
    if (identity instanceof Promise) {
      return identity.then((found) => this.#admit(exchange, found, presented), unreadable);
    }
    return this.#admit(exchange, identity, presented);
  }

  /** The caller of a console session, who has no key; the group is chosen by the body, see `inGroup`. */
  async #signedIn(exchange: Exchange, signIn: () => Promise<Actor>): Promise<Caller> {
    const actor = await signIn();
    if (actor.via !== 'session') throw new TollgateError('access_token_not_supported');
    const user = await Promise.resolve(this.#deps.identities.resolveUser(actor.userId)).catch(unreadable);
    if (user === undefined || !isActive(user)) throw new TollgateError('user_disabled');
    const pin = single(exchange.request.headers, PIN_HEADER) ?? '';
    return {
      user,
      token: undefined,
      group: user.group,
      allowedModels: undefined,
      aliases: undefined,
      pinnedChannelId: pin === '' ? undefined : pinnedChannel(exchange.view, user, pin),
    };
  }

  #admit(exchange: Exchange, identity: Identity | undefined, presented: PresentedKey): Caller {
    if (identity === undefined || identity.token.deletedAt !== null) throw new TollgateError('access_denied');
    const { token, user } = identity;
    this.#checkToken(token);
    if (!isActive(user)) throw new TollgateError('user_disabled');
    const facts = this.#factsOf(token);
    if (!facts.addresses.admits(exchange.request.clientAddress)) throw new TollgateError('ip_not_allowed');
    return {
      user,
      token,
      group: usingGroup(exchange.view, user, token.group ?? ''),
      allowedModels: facts.models,
      aliases: facts.aliases,
      pinnedChannelId: presented.pin === undefined ? undefined : pinnedChannel(exchange.view, user, presented.pin),
    };
  }

  /**
   * Asked again while an answer runs. A key that was switched off or has expired ends what runs under it; one that is
   * used up is ended by its own hold. A database that cannot be read ends nobody's answer.
   */
  mayContinue({ user, token }: Caller): boolean | Promise<boolean> {
    const { identities } = this.#deps;
    if (token === undefined) {
      const found = identities.resolveUser(user.id);
      const isStill = (now: User | undefined) => now !== undefined && isActive(now);
      return found instanceof Promise ? found.then(isStill, stays) : isStill(found);
    }
    const found = identities.resolve(token.keyHash);
    const isStill = (now: Identity | undefined) => now !== undefined && this.#isUsable(now);
    return found instanceof Promise ? found.then(isStill, stays) : isStill(found);
  }

  #isUsable({ user, token }: Identity): boolean {
    if (!isActive(user) || token.deletedAt !== null || token.status === 2 || token.status === 3) return false;
    // The row says so only once another call has met it.
    return !isExpired(token, this.#deps.now() / 1000);
  }

  /** Checks 3 to 7: the key itself. */
  #checkToken(token: Token): void {
    const refusal = refusalOfToken(token, this.#deps.now() / 1000);
    if (refusal === undefined) return;
    if (token.status === 1) this.#deps.markToken(token.id, refusal === 'token_expired' ? 'expired' : 'exhausted');
    throw new TollgateError(refusal);
  }

  /** A map of one key, because it compares by a seeded hash: how long it takes tells nothing about another's key. */
  #hashOf(key: string, connection: object | undefined): string {
    const known = connection && this.#hashes.get(connection)?.get(key);
    if (known !== undefined) return known;
    const hash = this.#deps.tokenHash(key);
    if (connection !== undefined) this.#hashes.set(connection, new Map([[key, hash]]));
    return hash;
  }

  #factsOf(token: Token): TokenFacts {
    const known = this.#facts.get(token);
    if (known !== undefined) return known;
    const limits = token.modelLimitsEnabled ? (token.modelLimits ?? '') : undefined;
    const facts: TokenFacts = {
      addresses: new AddressList(token.allowIps ?? ''),
      models: limits === undefined ? undefined : new Set(limits.split(',').map((name: string) => name.trim())),
      aliases: aliasesOf(token),
    };
    this.#facts.set(token, facts);
    return facts;
  }
}

/** Never 401: a key that cannot be looked up is not a wrong key (REQ-30). */
function unreadable(cause: unknown): never {
  throw new TollgateError('accounting_unavailable', {}, { cause, retryAfterSeconds: 5 });
}

/** The Google forms of the key are read on the model lists and on Gemini's own paths, the proxy's on those of drawings. */
function ownPlacesOf({ request: { path }, endpoint }: Exchange): OwnPlaces {
  if (path.startsWith('/v1beta') || path.startsWith('/v1alpha') || path.startsWith('/v1/models')) return 'google';
  return endpoint.surface === 'midjourney' ? 'drawing' : 'none';
}

/** True for a user who may call. */
export function isActive(user: User): boolean {
  return user.status === 1 && user.deletedAt === null;
}

function stays(): true {
  return true;
}

/** The caller in the group that a request names. Throws `group_not_usable` and `group_removed`. */
export function inGroup(exchange: Exchange, caller: Caller, wanted: string): Caller {
  return { ...caller, group: usingGroup(exchange.view, caller.user, wanted) };
}

/** Checks 10 and 11. `wanted` is empty for the user's own group. */
export function usingGroup(view: Snapshot, user: User, wanted: string): string {
  if (wanted === '') return user.group;
  const usable = view.options.get('UserUsableGroups');
  if (wanted !== user.group && !Object.hasOwn(usable, wanted)) {
    throw new TollgateError('group_not_usable', { group: wanted });
  }
  if (wanted === 'auto' && view.options.get('AutoGroups').length > 0) return wanted;
  if (!Object.hasOwn(view.options.get('GroupRatio'), wanted))
    throw new TollgateError('group_removed', { group: wanted });
  return wanted;
}

/**
 * Groups whose channels serve the caller, in the order in which they are tried (relay.md 11.4).
 * @param channel the one that work goes on with: its groups alone, while the caller has one of them
 */
export function groupsOf(
  view: Snapshot,
  caller: Pick<Caller, 'user' | 'group'>,
  channel?: Pick<ChannelView, 'groups'>,
): readonly string[] {
  if (caller.group !== 'auto') return [caller.group];
  const usable = view.options.get('UserUsableGroups');
  const groups = view.options
    .get('AutoGroups')
    .filter((group) => group === caller.user.group || Object.hasOwn(usable, group));
  const shared = groups.filter((group) => channel?.groups.includes(group));
  return shared.length > 0 ? shared : groups;
}

/** An administrator tries something out, by a key that names a channel or in the playground: it disables nothing (12.8). */
export function triesOut({
  token,
  user,
  pinnedChannelId,
}: Pick<Caller, 'token' | 'user' | 'pinnedChannelId'>): boolean {
  return user.role >= roles.admin && (pinnedChannelId !== undefined || token === undefined);
}

/** Checks 12 to 14. */
function pinnedChannel(view: Snapshot, user: User, pin: string): number {
  if (user.role < roles.admin) throw new TollgateError('channel_pin_forbidden');
  const channel = /^\d{1,15}$/.test(pin) ? view.channels.get(Number(pin)) : undefined;
  if (channel === undefined) throw new TollgateError('channel_pin_invalid');
  if (channel.record.status !== 1) throw new TollgateError('channel_disabled');
  return channel.record.id;
}

/** What the texts of a token row mean. */
interface TokenFacts {
  readonly addresses: AddressList;
  readonly models: ReadonlySet<string> | undefined;
  readonly aliases: ModelAliases | undefined;
}
