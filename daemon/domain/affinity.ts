/**
 * Which channel and key a conversation should return to: because its prompt cache lives there (relay.md 11.9), or
 * because only they know a stored response (5.10). Values that identify a conversation are hashed, never kept or logged.
 */
import { createHash } from 'node:crypto';
import { RE2JS } from 're2js';
import type { AffinityKeySource, AffinityRule, ChannelAffinity } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import { ExpiringMap } from './expiring-map.ts';

export interface AffinityTarget {
  readonly channelId: number;
  /** Hash of the key, which survives reordering and reloads. */
  readonly keyHash: string;
}

/** What nodes tell each other: a conversation has its channel and key; with 0 ms it has left them. */
export interface AffinityNews {
  /** Of the conversation; nobody can read from it which. */
  readonly hash: string;
  readonly target: AffinityTarget;
  /** How long it stays there without another turn. */
  readonly forMs: number;
  /** How often it had moved by then, as far as that node knew. */
  readonly moves: number;
}

/** What the rules may look at; the expensive parts are read only when a rule asks. */
export interface AffinityRequest {
  readonly userId: number;
  readonly tokenId: number;
  readonly group: string;
  /** Client-visible name. */
  readonly model: string;
  readonly path: string;
  readonly header: (name: string) => string | undefined;
  /** The parsed body; undefined for a body that is not JSON. */
  readonly body: unknown;
  /** System text and first user message of a conversation that already has an assistant turn; else undefined. */
  readonly opening: () => { readonly system: string; readonly firstUser: string } | undefined;
}

/** The conversation a request belongs to. */
export interface AffinityKey {
  /** Name of the rule, for the log. */
  readonly rule: string;
  readonly hash: string;
  readonly ttlMs: number;
  /** True: a failed pinned attempt ends the request instead of trying elsewhere. */
  readonly skipRetryOnFailure: boolean;
}

interface CompiledRule {
  readonly rule: AffinityRule;
  readonly model: RE2JS | undefined;
  readonly path: RE2JS | undefined;
}

const fallbackRule = 'conversation opening';
const maxRememberedMatches = 10_000;

interface KeptTarget {
  /** Undefined since it was left: what else is known tells what other nodes still say of it from what is new. */
  target: AffinityTarget | undefined;
  /** When the other nodes knew of it last. */
  toldMs: number;
  /** How often the conversation has moved, by the count of whichever node knew of most. */
  moves: number;
}

/** The rules of option `channel_affinity`, compiled, and what they remember. */
export class CacheAffinity {
  readonly #targets: ExpiringMap<KeptTarget>;
  readonly #now: () => number;
  readonly #tell: ((news: AffinityNews) => void) | undefined;
  #compiled: { readonly option: ChannelAffinity; readonly rules: readonly CompiledRule[] } | undefined;
  /** Model and path -> the rules that apply; patterns are run once per pair. */
  #matches = new Map<string, readonly CompiledRule[]>();

  /**
   * @param now milliseconds of a clock that never goes back
   * @param tell tells the other nodes, which get turns of the same conversations; must not throw
   */
  constructor(now: () => number, tell?: (news: AffinityNews) => void) {
    this.#targets = new ExpiringMap(now);
    this.#now = now;
    this.#tell = tell;
  }

  /** The conversation of the request by the first rule that yields a key; undefined when none does. */
  keyOf(request: AffinityRequest, option: ChannelAffinity): AffinityKey | undefined {
    if (!option.enabled) return undefined;
    for (const { rule } of this.#rulesFor(request, option)) {
      const value = firstValue(rule.key_sources, request);
      if (value === undefined) continue;
      const group = rule.include_group === false ? '' : request.group;
      return {
        rule: rule.name,
        // By model, too: prompts are cached by model, and one session asks several, which other channels may serve.
        hash: hashOf([rule.name, request.userId, group, request.model, value]),
        ttlMs: (rule.ttl_seconds ?? option.default_ttl_seconds) * 1000,
        skipRetryOnFailure: rule.skip_retry_on_failure ?? false,
      };
    }
    const opening = request.opening();
    if (!opening) return undefined;
    return {
      rule: fallbackRule,
      hash: hashOf([fallbackRule, request.userId, request.group, request.model, opening.system, opening.firstUser]),
      ttlMs: option.default_ttl_seconds * 1000,
      skipRetryOnFailure: false,
    };
  }

  /** Where the conversation was served last; the caller still checks that the target is eligible and not cooling. */
  find(key: AffinityKey): AffinityTarget | undefined {
    return this.#targets.get(key.hash)?.target;
  }

  /** After a success: stores or refreshes; another target replaces the old one only with `switch_on_success`. */
  keep(key: AffinityKey, target: AffinityTarget, option: ChannelAffinity): void {
    const known = this.#targets.get(key.hash);
    const isSame = isSameTarget(known?.target, target);
    if (known?.target && !isSame && !option.switch_on_success) return;
    const { hash, ttlMs } = key;
    const nowMs = this.#now();
    // A conversation that goes on is told again long before the others would forget it.
    const isTold = known && isSame && nowMs - known.toldMs < ttlMs / 2;
    const moves = known === undefined ? 0 : known.moves + (isSame ? 0 : 1);
    this.#targets.set(
      hash,
      { target, toldMs: isTold ? known.toldMs : nowMs, moves },
      { ttlMs, maxEntries: option.max_entries },
    );
    if (!isTold) this.#tell?.({ hash, target, forMs: ttlMs, moves });
  }

  /** After a failure of the pinned target, its disabling, or a cooling longer than 60 s. */
  drop({ hash }: AffinityKey): void {
    const known = this.#targets.get(hash);
    if (known?.target === undefined) return;
    this.#tell?.({ hash, target: known.target, forMs: 0, moves: known.moves });
    known.target = undefined;
  }

  /** Takes what another node told. */
  learn({ hash, target, forMs, moves }: AffinityNews, option: ChannelAffinity): void {
    const known = this.#targets.get(hash);
    if (forMs === 0) {
      if (!known || !isSameTarget(known.target, target)) return;
      known.target = undefined;
      known.moves = Math.max(known.moves, moves);
      return;
    }
    // Begun or moved on both at once: both come to the same of the two, however late each hears of the other.
    if (known !== undefined && isAhead(known, { target, moves })) {
      // The other does not know of it, or has forgotten it: the next turn tells it again.
      known.toldMs = Number.NEGATIVE_INFINITY;
      return;
    }
    this.#targets.set(hash, { target, toldMs: this.#now(), moves }, { ttlMs: forMs, maxEntries: option.max_entries });
  }

  #rulesFor(request: AffinityRequest, option: ChannelAffinity): readonly CompiledRule[] {
    if (this.#compiled?.option !== option) {
      this.#compiled = { option, rules: option.rules.flatMap(compile) };
      this.#matches = new Map();
    }
    const name = `${request.path}\n${request.model}`;
    const known = this.#matches.get(name);
    if (known) return known;
    const rules = this.#compiled.rules.filter(
      ({ model, path }) =>
        (model?.matcher(request.model).find() ?? true) && (path?.matcher(request.path).find() ?? true),
    );
    if (this.#matches.size >= maxRememberedMatches) this.#matches.clear();
    this.#matches.set(name, rules);
    return rules;
  }
}

function isSameTarget(one: AffinityTarget | undefined, other: AffinityTarget): boolean {
  return one?.channelId === other.channelId && one.keyHash === other.keyHash;
}

/** Of two that nodes hold at one time, the one that has moved more often stays; else they agree on the order. */
function isAhead(known: KeptTarget, told: Pick<AffinityNews, 'target' | 'moves'>): boolean {
  if (known.moves !== told.moves) return known.moves > told.moves;
  return known.target === undefined || isBefore(known.target, told.target);
}

function isBefore(one: AffinityTarget, other: AffinityTarget): boolean {
  if (one.channelId !== other.channelId) return one.channelId < other.channelId;
  return one.keyHash < other.keyHash;
}

/** A rule whose pattern does not compile is left out; the option check refuses such patterns when they are saved. */
function compile(rule: AffinityRule): CompiledRule[] {
  try {
    return [
      {
        rule,
        model: rule.model_regex ? RE2JS.compile(rule.model_regex) : undefined,
        path: rule.path_regex ? RE2JS.compile(rule.path_regex) : undefined,
      },
    ];
  } catch {
    return [];
  }
}

function firstValue(sources: readonly AffinityKeySource[], request: AffinityRequest): string | undefined {
  for (const source of sources) {
    const value = sourceValue(source, request);
    if (value !== undefined && value !== '') return value;
  }
  return undefined;
}

function sourceValue(source: AffinityKeySource, request: AffinityRequest): string | undefined {
  switch (source.type) {
    case 'header':
      return request.header(source.key.toLowerCase());
    case 'json':
      return textAt(request.body, source.path);
    case 'context':
      return contextValue(source.key, request);
  }
}

function contextValue(key: string, request: AffinityRequest): string | undefined {
  const facts: Readonly<Record<string, string | number>> = {
    user_id: request.userId,
    token_id: request.tokenId,
    group: request.group,
    model: request.model,
  };
  return Object.hasOwn(facts, key) ? String(facts[key]) : undefined;
}

/** The text or number at a dotted path of a JSON value. */
function textAt(body: unknown, path: string): string | undefined {
  let value: unknown = body;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Reflect.get(value, name);
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function hashOf(parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** What a request says by id alone: the response before it, an item, or whatever else its upstream has. */
export interface KeptReference {
  readonly id: string;
  /** Where in the body it stands. */
  readonly field: string;
  /** Nobody made it by a call, so it is nobody's: files and the like, which belong to the upstream's own account. */
  readonly isShared?: true;
}

/** Where a request should go for what it refers to. */
export interface FoundTarget extends AffinityTarget {
  /** Another upstream may know it as well. */
  readonly isShared?: true;
}

/** A stored response of one user, or an item of one; ids are hashed. */
export interface KeptId {
  readonly userId: number;
  /** Of the id and its user. */
  readonly hash: string;
  /** Of the id alone; null for what is nobody's. */
  readonly idHash: string | null;
}

/** Where an id is kept; undefined for one that nobody knows. */
export type KeptPlace = AffinityTarget | 'of-another' | undefined;

/** Memory that outlives the process and that all nodes share; losing an entry only costs the pin. */
export interface ResponseMemory {
  /** A place for each of the ids, which are one user's. */
  find(ids: readonly KeptId[]): Promise<readonly KeptPlace[]>;
  /** Does not wait for the write. */
  keep(id: KeptId, target: AffinityTarget, ttlSeconds: number): void;
}

export interface ResponseAffinityDeps {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly ttlSeconds: number;
  readonly memory?: ResponseMemory;
  /** Told when the shared memory failed; the node's own memory goes on. */
  readonly report?: (error: unknown) => void;
  readonly maxEntries?: number;
}

/** In place of the user of what is nobody's. */
const NOBODY = 0;

/** Remembers which channel and key keep a response and its items, for their user alone (relay.md 5.10). */
export class ResponseAffinity {
  readonly #deps: ResponseAffinityDeps;
  readonly #targets: ExpiringMap<AffinityTarget>;

  constructor(deps: ResponseAffinityDeps) {
    this.#deps = deps;
    this.#targets = new ExpiringMap(deps.now);
  }

  /**
   * Where the last of the references that is known leads, the user's own before what is shared; undefined when none is,
   * and the request is routed as usual. Throws `kept_item_not_found` for what is known to be another user's: its
   * upstream might well show it.
   */
  find(
    userId: number,
    references: readonly KeptReference[],
  ): FoundTarget | undefined | Promise<FoundTarget | undefined> {
    const { memory } = this.#deps;
    const known = references.map((reference) => this.#targets.get(hashOf([ownerOf(reference, userId), reference.id])));
    return memory === undefined || !known.includes(undefined)
      ? chosen(references, known)
      : this.#findElsewhere(memory, userId, references);
  }

  keep(userId: number, ids: readonly string[], target: AffinityTarget): void {
    for (const id of ids) this.#keep(keptId(userId, id), target);
  }

  /** Notes where something was found that is nobody's. */
  keepShared(references: readonly KeptReference[], target: AffinityTarget): void {
    for (const { id } of references) {
      const kept = keptId(NOBODY, id);
      const known = this.#targets.get(kept.hash);
      if (known === undefined || !isSameTarget(known, target)) this.#keep(kept, target);
    }
  }

  #keep(kept: KeptId, target: AffinityTarget): void {
    const { ttlSeconds, maxEntries = 100_000, memory } = this.#deps;
    this.#targets.set(kept.hash, target, { ttlMs: ttlSeconds * 1000, maxEntries });
    memory?.keep(kept, target, ttlSeconds);
  }

  async #findElsewhere(
    memory: ResponseMemory,
    userId: number,
    references: readonly KeptReference[],
  ): Promise<FoundTarget | undefined> {
    const ids = references.map((reference) => keptId(ownerOf(reference, userId), reference.id));
    const places = await memory.find(ids).catch((error: unknown): readonly KeptPlace[] => {
      // Without the shared memory what this node does not know counts as unknown, as after a lost entry.
      this.#deps.report?.(error);
      return [];
    });
    const known = ids.map(({ hash }, at) => {
      const place = this.#targets.get(hash) ?? places[at];
      if (place === 'of-another') throw notFound(references[at]);
      return place;
    });
    return chosen(references, known);
  }
}

/** What is the user's own is nowhere else; what is shared only says where to ask first. */
function chosen(
  references: readonly KeptReference[],
  places: readonly (AffinityTarget | undefined)[],
): FoundTarget | undefined {
  const own = places.findLast((place, at) => place !== undefined && references[at]?.isShared !== true);
  if (own !== undefined) return own;
  const shared = places.findLast((place) => place !== undefined);
  return shared && { ...shared, isShared: true };
}

function ownerOf({ isShared }: KeptReference, userId: number): number {
  return isShared === true ? NOBODY : userId;
}

function keptId(userId: number, id: string): KeptId {
  return { userId, hash: hashOf([userId, id]), idHash: userId === NOBODY ? null : hashOf([id]) };
}

function notFound(reference: KeptReference | undefined): TollgateError {
  const { id = '', field = 'input' } = reference ?? {};
  return new TollgateError('kept_item_not_found', { id }, { field });
}
