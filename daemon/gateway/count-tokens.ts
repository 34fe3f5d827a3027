/**
 * Counting tokens (relay.md 6.4, 7.1): asked upstream where a channel of the client's own protocol serves the model,
 * else counted here. Free in both cases.
 */
import { TollgateError } from '../errors.ts';
import type { Json } from '../relay/json.ts';
import { type AdmitDeps, routedModel } from './admit.ts';
import type { Caller } from './authenticate.ts';
import type { Endpoint, Exchange } from './exchange.ts';
import type { Inspection } from './inspect.ts';
import { groupsOf } from './model-list.ts';

/**
 * Counts and answers where nobody upstream can be asked; false when somebody can. Throws `model_not_allowed`, and
 * `model_not_found` or `no_channel_for_model` for models that nobody would answer with either.
 */
export async function countHere(
  deps: AdmitDeps,
  exchange: Exchange,
  asked: { caller: Caller; inspection: Inspection },
): Promise<boolean> {
  const { caller, inspection } = asked;
  const { endpoint, view } = exchange;
  if (caller.allowedModels !== undefined && !caller.allowedModels.has(inspection.model)) {
    throw new TollgateError('model_not_allowed', { model: inspection.model }, { field: 'model' });
  }
  const model = routedModel(view, inspection.model);
  const groups = groupsOf(view, caller);
  const serves = (wanted: Endpoint) =>
    groups.some((group) => deps.router.candidates(view, wanted, { group, model }).length > 0);
  if (serves(endpoint)) return false;
  if (!serves(chatOf(endpoint))) throw deps.router.refusal(exchange, caller, model);
  const tokens = await deps.prompts.count(endpoint.format, inspection);
  exchange.sink.answer(200, 'application/json', JSON.stringify(shown(endpoint, tokens)));
  return true;
}

/** The conversation that is counted, as an endpoint of its own. */
function chatOf({ operation: _, ...endpoint }: Endpoint): Endpoint {
  return { ...endpoint, capability: 'chat' };
}

function shown({ format }: Endpoint, tokens: number): Json {
  if (format === 'anthropic-messages') return { input_tokens: tokens };
  return { totalTokens: tokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens }] };
}
