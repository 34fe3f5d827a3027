/**
 * What a call holds while the group that serves it may change (relay.md 11.4, 15.4): only what another group costs more
 * is taken, and a group that the balance does not reach for is passed over where another may be paid.
 */
import { isQuotaRefusal, type Ledger } from '../domain/ledger.ts';
import { reservationAmount } from '../domain/pricing.ts';
import { TollgateError } from '../errors.ts';
import { type Admission, type AdmitDeps, holdOf, type outputOf, ratioIn, tellOfMissing } from './admit.ts';
import type { Caller } from './authenticate.ts';
import type { Exchange } from './exchange.ts';
import type { Route } from './route.ts';

type HoldingLedger = Pick<Ledger, 'hold' | 'extend'>;

/** A call and what it holds by now. */
interface HoldingCall {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly held: number;
}

interface Missing {
  readonly amount: number;
  readonly group: string;
}

/** What a group's prices want beyond what is held; 0 or less where that will do. */
export function missingIn(
  deps: Pick<AdmitDeps, 'groupWithoutRatio'>,
  { admission, caller, held }: HoldingCall & { readonly admission: Admission },
  { group, output }: { group: string; output: ReturnType<typeof outputOf> },
): number {
  const { price, promptTokens } = admission;
  const ratio = ratioIn(admission, caller, group);
  tellOfMissing(deps, ratio, group);
  return reservationAmount({ price, group: ratio, promptTokens, ...output }) - held;
}

/** Holds so much more. Throws the ledger's refusals. */
export function takeMore(ledger: HoldingLedger, call: HoldingCall, missing: Missing): Promise<void> {
  const hold = holdOf(call.exchange, call.caller, missing);
  // A free group, or one that was too dear, left no hold that could be extended.
  return call.held === 0 ? ledger.hold(hold) : ledger.extend(hold);
}

/** As what is waited for; resolves to a refusal that another group may not meet. */
export async function refusalOf(
  taking: Promise<void>,
  route: Pick<Route, 'isPinned'>,
): Promise<TollgateError | undefined> {
  try {
    await taking;
    return undefined;
  } catch (error) {
    if (isOfGroup(error) && !route.isPinned) return error;
    throw error;
  }
}

/** Refusals that another group may not meet: of its prices, or of its limits by the minute. */
function isOfGroup(error: unknown): error is TollgateError {
  if (isQuotaRefusal(error)) return true;
  return error instanceof TollgateError && error.code.startsWith('rate_limited:group_');
}

/** Leaves the first group out where the balance does not reach for it and the key stands for others; else throws. */
export function passedOver(route: Route, error: unknown): TollgateError {
  if (!isQuotaRefusal(error) || !route.passOverGroup(route.firstGroup)) throw error;
  return error;
}
