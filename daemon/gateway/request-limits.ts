/** Binds the domain's limits of requests and its budgets to an exchange: refused calls carry the limit's headers too. */
import { type BudgetBook, type BudgetPlace, hasBudgets } from '../domain/budget-book.ts';
import type { ModelRequestLimits, RequestPlace, RequestRefusal } from '../domain/limits.ts';
import type { RatePlace } from '../domain/rate-limits.ts';
import { TollgateError } from '../errors.ts';
import { estimatePrompt } from '../relay/tokens/prompt.ts';
import { type Admission, type LimitTicket, outputOf, type RequestLimits } from './admit.ts';
import type { Caller } from './authenticate.ts';
import type { Exchange } from './exchange.ts';
import type { Inspection } from './inspect.ts';

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
    takeQuestion: async (exchange, { user }) => ticketOf(exchange, await limits.takeQuestion(user.id)),
  };
}

function ticketOf(exchange: Exchange, place: RequestPlace | RequestRefusal | undefined): LimitTicket | undefined {
  if (place?.refusal === undefined) return place;
  // The time to come back is written with the refusal itself.
  for (const [name, value] of place.headers) if (name !== 'Retry-After') exchange.sink.setHeader(name, value);
  throw place.refusal;
}

/** An admitted request, as far as limits by the minute ask for it. */
export interface RatedRequest {
  readonly caller: Caller;
  readonly inspection: Inspection;
  readonly admission: Pick<Admission, 'promptTokens' | 'route'>;
  /** Of the place taken before (`RequestLimits`), whose headers may be the tighter. */
  readonly ticket: LimitTicket | undefined;
}

/** Output that is drawn before it is known, where there is room for it: as much as a stream holds at once (D20). */
const expectedOutput = 512;

/** What prompt and answer are expected to come to, before either is counted. */
export function expectedTokens(
  exchange: Exchange,
  { inspection, admission }: Pick<RatedRequest, 'inspection'> & { readonly admission: Pick<Admission, 'promptTokens'> },
): { prompt: number; answer: number } {
  const { format } = exchange.endpoint;
  const { model, json } = inspection;
  const prompt = admission.promptTokens || estimatePrompt({ format, model, body: json });
  const { output } = outputOf(exchange, inspection);
  if (output === undefined) return { prompt, answer: 0 };
  return { prompt, answer: Math.min(output.maxTokens ?? expectedOutput, expectedOutput) * output.choices };
}

/**
 * Keeps the call's part of the budgets of its key and user; undefined where none is set. Throws `budget_exceeded`: such
 * a call counts under no other limit, or one key with a spent budget would keep the others of its owner out.
 */
export function takeBudgets(
  budgets: BudgetBook,
  exchange: Exchange,
  request: Omit<RatedRequest, 'admission'> & {
    readonly admission: Pick<Admission, 'promptTokens' | 'held'>;
    readonly rates: Pick<RatePlace, 'refused'> | undefined;
  },
): BudgetPlace | undefined | Promise<BudgetPlace> {
  const { token, user } = request.caller;
  if (!hasBudgets(token) && !hasBudgets(user)) return undefined;
  const refused = (error: unknown): never => {
    if (error instanceof TollgateError && error.code === 'budget_exceeded') {
      request.ticket?.finish('refused');
      request.rates?.refused();
    }
    throw error;
  };
  try {
    const tokens = () => expectedTokens(exchange, request);
    const keeping = budgets.take({ token, user, quota: request.admission.held, tokens });
    return keeping instanceof Promise ? keeping.catch(refused) : keeping;
  } catch (error) {
    return refused(error);
  }
}
