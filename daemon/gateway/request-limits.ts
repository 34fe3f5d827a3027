/** Binds the domain's request limits to an exchange: refused calls carry the limit's headers too. */
import type { ModelRequestLimits, RequestPlace, RequestRefusal } from '../domain/limits.ts';
import type { LimitTicket, RequestLimits } from './admit.ts';
import type { Exchange } from './exchange.ts';

/** The limits of model requests by user and group (relay.md 17.5). */
export function requestLimits(limits: ModelRequestLimits): RequestLimits {
  return {
    take(exchange, caller) {
      const { options } = exchange.view;
      const counts = exchange.endpoint.capability === 'count-tokens';
      const place = counts
        ? limits.takeCount(caller.user.id)
        : limits.take({ userId: caller.user.id, group: caller.group, options });
      return place instanceof Promise ? place.then((known) => ticketOf(exchange, known)) : ticketOf(exchange, place);
    },
  };
}

function ticketOf(exchange: Exchange, place: RequestPlace | RequestRefusal | undefined): LimitTicket | undefined {
  if (place?.refusal === undefined) return place;
  // The time to come back is written with the refusal itself.
  for (const [name, value] of place.headers) if (name !== 'Retry-After') exchange.sink.setHeader(name, value);
  throw place.refusal;
}
