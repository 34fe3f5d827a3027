/**
 * What a call takes of the limits by the minute (REQ-23). Of several groups that a key stands for (`auto`), the one that
 * is asked must have room: it is taken from when it is asked, and given back when another one is (relay.md 11.4).
 */
import type { Soon } from '../cluster/counters.ts';
import { autoGroup } from '../domain/groups.ts';
import type { Headroom, Headrooms, RateLimits, RatePlace, RateRefusal } from '../domain/rate-limits.ts';
import type { LimitTicket } from './admit.ts';
import type { Exchange } from './exchange.ts';
import { expectedTokens, type RatedRequest } from './request-limits.ts';

export interface TakenRates extends Pick<RatePlace, 'used' | 'refused' | 'left'> {
  /**
   * Told of the group that is asked now, where the key stands for several; undefined when it was asked before. Rejects
   * with `rate_limited:group_*` where that has no room; what was taken before is kept then.
   */
  enterGroup?(group: string): Promise<void> | undefined;
}

/** Draws from the limits and sets their headers; undefined where none holds. Throws `rate_limited:*` with a retry time. */
export function takeRates(rates: RateLimits, exchange: Exchange, request: RatedRequest): Soon<TakenRates | undefined> {
  const { caller, inspection, ticket } = request;
  const taking = rates.take({
    token: caller.token,
    user: caller.user,
    group: caller.group,
    model: inspection.model,
    options: exchange.view.options,
    estimate: () => expectedTokens(exchange, request),
  });
  if (caller.group === autoGroup) return takeGroups(rates, exchange, { ...request, taking });
  return taking instanceof Promise
    ? taking.then((place) => placeOf(exchange, place, ticket))
    : placeOf(exchange, taking, ticket);
}

type Taking = ReturnType<RateLimits['take']>;

/** Passes the groups over that have no room. Throws the refusal of the last when none has. */
async function takeGroups(
  rates: RateLimits,
  exchange: Exchange,
  request: RatedRequest & { readonly taking: Taking },
): Promise<TakenRates> {
  const { admission, ticket } = request;
  const own = placeOf(exchange, await request.taking, ticket);
  const taken = new GroupRates(rates, exchange, { ...request, own });
  let refusal: RateRefusal | undefined;
  for (const group of admission.route.groups) {
    refusal = await taken.tryGroup(group);
    if (refusal === undefined) return taken;
    admission.route.passOverGroup(group);
  }
  if (refusal === undefined) return taken;
  taken.refused();
  taken.left();
  showRooms(exchange, refusal, ticket);
  ticket?.finish('refused');
  throw refusal.refusal;
}

/** What is taken of the limits of key, user and model, and of those of the group that is asked. */
class GroupRates implements TakenRates {
  readonly #rates: RateLimits;
  readonly #exchange: Exchange;
  readonly #request: RatedRequest & { readonly own: RatePlace | undefined };
  #group: string | undefined;
  #place: RatePlace | undefined;

  constructor(rates: RateLimits, exchange: Exchange, request: RatedRequest & { readonly own: RatePlace | undefined }) {
    this.#rates = rates;
    this.#exchange = exchange;
    this.#request = request;
  }

  enterGroup(group: string): Promise<void> | undefined {
    if (group === this.#group) return undefined;
    return this.tryGroup(group).then((refused) => {
      if (refused !== undefined) throw refused.refusal;
    });
  }

  async tryGroup(group: string): Promise<RateRefusal | undefined> {
    const { own, ticket } = this.#request;
    const exchange = this.#exchange;
    const { options } = exchange.view;
    const place = await this.#rates.takeGroup({
      group,
      options,
      estimate: () => expectedTokens(exchange, this.#request),
    });
    if (place?.refusal !== undefined) return place;
    // The call counts where it is served.
    this.#place?.refused();
    this.#place?.left();
    this.#group = group;
    this.#place = place;
    const requests = tighter(own?.requests, place?.requests);
    showRooms(exchange, { requests, tokens: tighter(own?.tokens, place?.tokens) }, ticket);
    return undefined;
  }

  used(tokens: number): void {
    this.#request.own?.used(tokens);
    this.#place?.used(tokens);
  }

  refused(): void {
    this.#request.own?.refused();
    this.#place?.refused();
  }

  left(): void {
    this.#request.own?.left();
    this.#place?.left();
  }
}

function placeOf(
  exchange: Exchange,
  place: RatePlace | RateRefusal | undefined,
  ticket: LimitTicket | undefined,
): RatePlace | undefined {
  if (place === undefined) return undefined;
  showRooms(exchange, place, ticket);
  if (place.refusal !== undefined) {
    ticket?.finish('refused');
    throw place.refusal;
  }
  return place;
}

/** @param ticket whose headers were set before, and may be the tighter */
function showRooms(exchange: Exchange, { requests, tokens }: Headrooms, ticket: LimitTicket | undefined): void {
  if (requests !== undefined && (ticket === undefined || requests.remaining < ticket.remaining)) {
    setHeaders(exchange, 'Requests', requests);
  }
  if (tokens !== undefined) setHeaders(exchange, 'Tokens', tokens);
}

function tighter(one: Headroom | undefined, other: Headroom | undefined): Headroom | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.remaining <= other.remaining ? one : other;
}

function setHeaders(
  { sink }: Exchange,
  kind: 'Requests' | 'Tokens',
  { limit, remaining, resetSeconds }: Headroom,
): void {
  sink.replaceHeader(`X-RateLimit-Limit-${kind}`, String(limit));
  sink.replaceHeader(`X-RateLimit-Remaining-${kind}`, String(remaining));
  sink.replaceHeader(`X-RateLimit-Reset-${kind}`, `${resetSeconds}s`);
}
