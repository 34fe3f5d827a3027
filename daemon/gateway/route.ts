/** Step 5: yields one pick (channel and key) at a time, none twice (relay.md 11.3, 11.4, 11.8, 11.9). */
import type { AffinityKey, AffinityTarget, CacheAffinity, FoundTarget, ResponseAffinity } from '../domain/affinity.ts';
import {
  askedOnce,
  type ChannelPick,
  type RoutingStrategy,
  selectChannel,
  selectSoonestFree,
  type Turns,
} from '../domain/channel-selection.ts';
import { providerOf } from '../relay/providers/index.ts';
import type { AbilityView } from '../snapshots/channel-index.ts';
import type { ChannelKeyView, ChannelView } from '../snapshots/channel-view.ts';
import type { Snapshot } from '../snapshots/snapshots.ts';
import { type Caller, groupsOf } from './authenticate.ts';
import { openingOf } from './conversation-opening.ts';
import type { Endpoint, Exchange } from './exchange.ts';
import type { Inspection } from './inspect.ts';
import { chooseLane } from './lane-choice.ts';
import { nobodyNow, noChannel } from './no-channel.ts';

/** A pick together with the group whose ability led to it: that group is billed. */
export interface RoutedPick extends ChannelPick {
  readonly group: string;
}

export interface RouterDeps {
  /** Milliseconds until the key may be used for the model; 0 = now. */
  readonly coolingMs: (channelId: number, keyId: number, model: string) => number;
  /** Milliseconds until the channel has a budget again; 0 = it has one, or none is set. */
  readonly spentMs: (channel: ChannelView) => number;
  readonly cacheAffinity: CacheAffinity;
  readonly responseAffinity: ResponseAffinity;
  readonly turns: Turns;
  /** Milliseconds until a limited key has room for another call, as far as is known; 0 = it has. Waits for nobody. */
  readonly fullMs: (key: ChannelKeyView) => number;
  /** Requests of the cluster that a channel is serving now. */
  readonly running: (channelId: number) => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** What routing needs to know about one request. */
export interface RouteRequest {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly inspection: Inspection;
  /** The name to route by: the client's, or what the fallback alias made of it. */
  readonly model: string;
  /** Where the work that it goes on with is known: asked whatever channels offer, and nobody else (relay.md 8.4). */
  readonly origin?: ChannelPick | undefined;
}

/** Finds channels; remembers per snapshot which of them can serve an endpoint at all. */
export class Router {
  readonly #deps: RouterDeps;
  readonly #capable = new WeakMap<readonly AbilityView[], Map<string, readonly AbilityView[]>>();

  constructor(deps: RouterDeps) {
    this.#deps = deps;
  }

  /** Enabled channels of a group that offer the model and can serve the endpoint. */
  candidates(view: Snapshot, endpoint: Endpoint, offer: { group: string; model: string }): readonly AbilityView[] {
    const offering = view.channels.candidates(offer.group, offer.model);
    if (offering.length === 0) return offering;
    let byFormat = this.#capable.get(offering);
    if (byFormat === undefined) this.#capable.set(offering, (byFormat = new Map()));
    const asked = endpoint.operation ?? endpoint.format;
    let capable = byFormat.get(asked);
    if (capable === undefined) {
      capable = offering.filter(({ channel }) => {
        const adapter = providerOf(channel.record.type);
        return adapter !== undefined && chooseLane(adapter, channel, endpoint) !== undefined;
      });
      byFormat.set(asked, capable);
    }
    return capable;
  }

  /**
   * The picks of one request. Throws `model_not_found` when nobody ever offers the model to this user, `model_retired`
   * when only vendors do that were switched off, `endpoint_not_served`, or what the endpoint says instead, when those
   * who do cannot serve such a call, `no_channel_for_model` when nobody does now, and `kept_item_not_found`. A promise
   * only when what an upstream keeps must be looked up elsewhere.
   */
  open(request: RouteRequest): Route | Promise<Route> {
    const { exchange, caller, inspection, model, origin } = request;
    let groups = groupsOf(exchange.view, caller, origin?.channel);
    if (origin !== undefined) return new Route(this, this.#deps, { ...request, groups });
    const isServed = (group: string) => this.candidates(exchange.view, exchange.endpoint, { group, model }).length > 0;
    if (!groups.every(isServed)) groups = groups.filter(isServed);
    if (groups.length === 0) throw noChannel(exchange, caller, model);
    const pin = caller.pinnedChannelId;
    if (pin !== undefined) groups = groups.filter((group) => this.#serves(pin, exchange, { group, model }));
    if (groups.length === 0) throw nobodyNow(caller, model);
    const route = new Route(this, this.#deps, { exchange, caller, inspection, model, groups });
    const { references } = inspection;
    if (references.length === 0) return route;
    const target = this.#deps.responseAffinity.find(caller.user.id, references);
    if (!(target instanceof Promise)) return led(route, target);
    return target.then((found) => led(route, found));
  }

  #serves(channelId: number, { view, endpoint }: Exchange, offer: { group: string; model: string }): boolean {
    const ability = this.candidates(view, endpoint, offer).find(({ channel }) => channel.record.id === channelId);
    return ability?.channel.keys.some(({ status }) => status === 1) === true;
  }
}

/** The pick as affinities remember it. */
export function targetOf({ channel, key }: ChannelPick): AffinityTarget {
  return { channelId: channel.record.id, keyHash: key.hash };
}

function led(route: Route, target: FoundTarget | undefined): Route {
  if (target?.isShared === true) route.prefer(target);
  else if (target !== undefined) route.pinTo(target);
  return route;
}

interface OpenRoute extends RouteRequest {
  readonly groups: readonly string[];
}

/** A conversation does not wait longer than this for the channel that knows it. */
const longestReturnMs = 60_000;

/** The picks of one request, in the order in which it may try them. */
export class Route {
  readonly #router: Router;
  readonly #deps: RouterDeps;
  readonly #request: OpenRoute;
  readonly #strategy: RoutingStrategy;
  readonly #tried = new Map<number, Set<number>>();
  #passedOver: Set<number> | undefined;
  #groupIndex = 0;
  /** Those that the balance reaches for and that have room, as far as is known. */
  #groups: readonly string[];
  #fixed: RoutedPick | undefined;
  #preferred: AffinityTarget | undefined;
  #affinity: AffinityKey | undefined;
  #affinityServed = false;
  #freeInMs: (() => number) | undefined;
  /** Keys that had no room for this request, with the milliseconds until they may have. */
  #full: Map<number, number> | undefined;

  constructor(router: Router, deps: RouterDeps, request: OpenRoute) {
    this.#router = router;
    this.#deps = deps;
    this.#request = request;
    this.#groups = request.groups;
    this.#strategy = request.exchange.view.options.get('RoutingStrategy');
    const { origin, caller } = request;
    if (origin !== undefined) this.#fixed = { ...origin, group: this.firstGroup };
    else if (caller.pinnedChannelId === undefined) this.#affinity = this.#affinityKey();
  }

  /** True when no other channel may be tried: the key's suffix names it, or it keeps what the request refers to. */
  get isPinned(): boolean {
    if (this.#fixed !== undefined || this.#request.caller.pinnedChannelId !== undefined) return true;
    return this.#affinityServed && this.#affinity?.skipRetryOnFailure === true;
  }

  /** Name of the affinity rule that chose the first pick; undefined when none did. */
  get affinityRule(): string | undefined {
    return this.#affinityServed ? this.#affinity?.rule : undefined;
  }

  /** Set once every candidate cools: milliseconds until the first is free again, as is known by now. */
  get coolestMs(): number | undefined {
    return this.#freeInMs?.();
  }

  /** The group whose channels are asked first: the one that the hold is priced by. */
  get firstGroup(): string {
    return this.#request.groups[0] ?? this.#request.caller.group;
  }

  /** The groups that may be asked. */
  get groups(): readonly string[] {
    return this.#fixed === undefined ? this.#groups : [this.#fixed.group];
  }

  /** Channels of a group that can serve the request; the one that the key's suffix names, where it names one. */
  candidatesOf(group: string): readonly AbilityView[] {
    const { exchange, model, caller } = this.#request;
    const candidates = this.#router.candidates(exchange.view, exchange.endpoint, { group, model });
    const pin = caller.pinnedChannelId;
    return pin === undefined ? candidates : candidates.filter(({ channel }) => channel.record.id === pin);
  }

  /** The next pick, 0 being the first attempt; undefined when everything was tried. */
  next(attempt: number): RoutedPick | undefined {
    if (this.#fixed !== undefined) return this.#fixedPick(this.#fixed, attempt);
    for (; this.#groupIndex < this.#groups.length; this.#groupIndex += 1) {
      const group = this.#groups[this.#groupIndex];
      const pick = group === undefined ? undefined : this.#nextIn(group, attempt);
      if (group !== undefined && pick !== undefined) return { channel: pick.channel, key: pick.key, group };
    }
    return attempt === 0 ? this.#soonest() : undefined;
  }

  /** Sends the request where what it refers to is kept, if that channel and key still serve the model. */
  pinTo(target: AffinityTarget): void {
    for (const group of this.#request.groups) {
      const pick = this.#pickAt(group, target);
      if (pick !== undefined) this.#fixed ??= { ...pick, group };
    }
  }

  /** Asks first where what it refers to was found before, and elsewhere as for any call. */
  prefer(target: AffinityTarget): void {
    this.#preferred = target;
  }

  /** A pick answered: the conversation stays with it. */
  succeeded(pick: ChannelPick): void {
    if (this.#affinity === undefined) return;
    const option = this.#request.exchange.view.options.get('channel_affinity');
    this.#deps.cacheAffinity.keep(this.#affinity, targetOf(pick), option);
  }

  /** A pick failed: it is not tried again, and the conversation no longer returns to it. */
  failed(pick: ChannelPick): void {
    this.#note(pick);
    if (this.#affinity !== undefined && this.#affinityServed) this.#deps.cacheAffinity.drop(this.#affinity);
  }

  /** The channel cannot say the request: it is left out with all its keys, and thought none the worse of. */
  passOver(pick: ChannelPick): void {
    this.#passedOver ??= new Set();
    this.#passedOver.add(pick.channel.record.id);
    for (const key of pick.channel.keys) this.#note({ channel: pick.channel, key });
  }

  /** The balance does not reach for a group, or it has no room: nobody is asked in it. False where no other is left. */
  passOverGroup(group: string): boolean {
    this.#groups = this.#groups.filter((other) => other !== group);
    return this.#groups.length > 0;
  }

  /** Lets channels that were passed over be asked after all; false where there are none. */
  reconsider(): boolean {
    if (this.#passedOver === undefined) return false;
    for (const channelId of this.#passedOver) this.#tried.delete(channelId);
    this.#passedOver = undefined;
    this.#groupIndex = 0;
    return true;
  }

  /** The key had no room for the request: it is left out, and nothing was tried. */
  skip({ key }: ChannelPick, fullMs: number): void {
    this.#full ??= new Map();
    this.#full.set(key.id, fullMs);
    this.#affinityServed = false;
  }

  #nextIn(group: string, attempt: number): ChannelPick | undefined {
    if (attempt === 0) {
      const returning = this.#returning(group);
      if (returning !== undefined && !this.#wasTried(returning)) return returning;
    }
    const candidates = this.candidatesOf(group);
    const isFirst = attempt === 0 && this.#tried.size === 0;
    const only = isFirst && candidates.length === 1 ? this.#onlyPick(candidates[0]) : undefined;
    if (only !== undefined) return only;
    return selectChannel({
      candidates,
      tried: this.#tried,
      strategy: this.#strategy,
      attempt,
      random: this.#deps.random,
      isUsable: this.#isUsable,
      turns: this.#deps.turns,
      running: this.#deps.running,
    });
  }

  /** The one pick that may be asked, unless its budget is spent or its key is full. */
  #fixedPick(pick: RoutedPick, attempt: number): RoutedPick | undefined {
    if (attempt > 0 || this.#wasTried(pick)) return undefined;
    const barredMs = () => this.#barredMs(pick.channel, pick.key);
    if (barredMs() === 0) return pick;
    this.#freeInMs = barredMs;
    return undefined;
  }

  /** Nothing to choose: one channel with one key that may be used. */
  #onlyPick(ability: AbilityView | undefined): ChannelPick | undefined {
    const [key, another] = ability?.channel.keys ?? [];
    if (ability === undefined || key === undefined || another !== undefined || key.status !== 1) return undefined;
    return this.#isUsable(ability.channel, key) ? { channel: ability.channel, key } : undefined;
  }

  /**
   * Everything cools, in all groups: the pick that is free soonest is tried once, as the only attempt. Limits and
   * budgets are kept all the same.
   */
  #soonest(): RoutedPick | undefined {
    const waitMs = (channel: ChannelView, key: ChannelKeyView) => this.#coolingMs(channel, key);
    const soonest = this.#soonestFree(this.#tried, waitMs);
    if (soonest === undefined || soonest.freeInMs === 0) return undefined;
    this.#freeInMs = () => this.#soonestFree(new Map(), waitMs)?.freeInMs ?? 0;
    if (this.#barredMs(soonest.pick.channel, soonest.pick.key) === 0) return soonest.pick;
    const open = this.#soonestFree(this.#tried, (channel, key) =>
      this.#barredMs(channel, key) > 0 ? Number.POSITIVE_INFINITY : this.#coolingMs(channel, key),
    );
    return open?.freeInMs === Number.POSITIVE_INFINITY ? undefined : open?.pick;
  }

  #soonestFree(
    tried: ReadonlyMap<number, ReadonlySet<number>>,
    waitMs: (channel: ChannelView, key: ChannelKeyView) => number,
  ): { readonly pick: RoutedPick; readonly freeInMs: number } | undefined {
    let best: { pick: RoutedPick; freeInMs: number } | undefined;
    const onceMs = askedOnce(waitMs);
    for (const group of this.#groups) {
      const found = selectSoonestFree(this.candidatesOf(group), tried, onceMs);
      if (found === undefined || (best !== undefined && best.freeInMs <= found.freeInMs)) continue;
      best = { pick: { ...found.pick, group }, freeInMs: found.freeInMs };
    }
    return best;
  }

  readonly #isUsable = (channel: ChannelView, key: ChannelKeyView): boolean => this.#coolingMs(channel, key) === 0;

  #coolingMs(channel: ChannelView, key: ChannelKeyView): number {
    const coolingMs = this.#deps.coolingMs(channel.record.id, key.id, this.#request.model);
    return Math.max(coolingMs, this.#barredMs(channel, key));
  }

  /** How long not even the one try that is left is sent there. */
  #barredMs(channel: ChannelView, key: ChannelKeyView): number {
    const spentMs = this.#deps.spentMs(channel);
    if (key.limits === undefined) return spentMs;
    return Math.max(spentMs, this.#deps.fullMs(key), this.#full?.get(key.id) ?? 0);
  }

  #returning(group: string): ChannelPick | undefined {
    if (this.#preferred !== undefined) {
      const found = this.#pickAt(group, this.#preferred);
      return found && this.#isUsable(found.channel, found.key) ? found : undefined;
    }
    const target = this.#affinity && this.#deps.cacheAffinity.find(this.#affinity);
    if (this.#affinity === undefined || target === undefined) return undefined;
    if (this.#isLost(target)) this.#deps.cacheAffinity.drop(this.#affinity);
    const pick = this.#pickAt(group, target);
    if (pick === undefined || !this.#isUsable(pick.channel, pick.key)) return undefined;
    this.#affinityServed = true;
    return pick;
  }

  /** Switched off, or cooling for so long that the conversation goes elsewhere for good. */
  #isLost({ channelId, keyHash }: AffinityTarget): boolean {
    const { exchange, model } = this.#request;
    const channel = exchange.view.channels.get(channelId);
    const key = channel?.keys.find(({ hash, status }) => hash === keyHash && status === 1);
    if (channel?.record.status !== 1 || key === undefined) return true;
    return this.#deps.coolingMs(channelId, key.id, model) > longestReturnMs;
  }

  /** The channel and key in a group, if they serve the model and are switched on. */
  #pickAt(group: string, target: AffinityTarget): ChannelPick | undefined {
    const ability = this.candidatesOf(group).find(({ channel }) => channel.record.id === target.channelId);
    const key = ability?.channel.keys.find((known) => known.hash === target.keyHash && known.status === 1);
    return ability === undefined || key === undefined ? undefined : { channel: ability.channel, key };
  }

  #affinityKey(): AffinityKey | undefined {
    const { exchange, caller, inspection, model } = this.#request;
    return this.#deps.cacheAffinity.keyOf(
      {
        userId: caller.user.id,
        tokenId: caller.token?.id ?? 0,
        group: caller.group,
        model,
        path: exchange.request.path,
        header: (name) => [exchange.request.headers[name]].flat()[0],
        body: inspection.json,
        opening: () => openingOf(inspection),
      },
      exchange.view.options.get('channel_affinity'),
    );
  }

  #wasTried(pick: ChannelPick): boolean {
    return this.#tried.get(pick.channel.record.id)?.has(pick.key.id) === true;
  }

  #note(pick: ChannelPick): void {
    const id = pick.channel.record.id;
    const keys = this.#tried.get(id);
    if (keys === undefined) this.#tried.set(id, new Set([pick.key.id]));
    else keys.add(pick.key.id);
  }
}
