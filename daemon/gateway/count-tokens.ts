/**
 * Counting tokens (relay.md 6.4, 7.1): asked upstream where a channel of the client's own protocol serves the model,
 * else, and where its counter turns out not to exist, counted here. Free in every case.
 */
import { TollgateError, UpstreamFailure } from '../errors.ts';
import { asObject } from '../relay/formats/fields.ts';
import { chatFormatOf } from '../relay/formats/index.ts';
import type { Json } from '../relay/json.ts';
import { providerOf } from '../relay/providers/index.ts';
import type { ChannelView } from '../snapshots/channel-view.ts';
import { type AdmitDeps, routedModel } from './admit.ts';
import { type Caller, groupsOf } from './authenticate.ts';
import { namesOn } from './call-template.ts';
import type { Endpoint, Exchange } from './exchange.ts';
import type { Inspection } from './inspect.ts';
import { chooseLane } from './lane-choice.ts';
import { noChannel } from './no-channel.ts';

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
  const serving = (wanted: Endpoint) =>
    groups.flatMap((group) => deps.router.candidates(view, wanted, { group, model }));
  if (serving(endpoint).some(({ channel }) => canCount(channel, endpoint, model))) return false;
  if (serving(chatOf(endpoint)).length === 0) throw noChannel(exchange, caller, model);
  await answerHere(deps, exchange, inspection);
  return true;
}

/** Counts and answers. Throws `invalid_request` for what could not be asked either. */
export async function answerHere(deps: AdmitDeps, { endpoint, sink }: Exchange, inspection: Inspection): Promise<void> {
  const { json, model } = inspection;
  // Gemini's counter takes a whole request inside its own.
  const asked = asObject(json.generateContentRequest ?? json.generate_content_request) ?? json;
  chatFormatOf(endpoint.format)?.decodeRequest({ ...asked, model });
  const tokens = await deps.prompts.count(endpoint.format, inspection);
  sink.answer(200, 'application/json', JSON.stringify(shown(endpoint, tokens)));
}

/** What servers answer that imitate a protocol without its counter; others answer with a page or another dialect's words. */
const NO_COUNTER = new Set([404, 405, 501]);

/** True where nobody upstream has a counter: what was said of it speaks against no channel, and the count is made here. */
export function lacksCounter({ capability }: Pick<Endpoint, 'capability'>, error: unknown): boolean {
  if (capability !== 'count-tokens') return false;
  if (error instanceof UpstreamFailure) {
    const { upstreamStatus = 0, code } = error.fields;
    return upstreamStatus === 0 ? code === 'bad_response_body' : NO_COUNTER.has(upstreamStatus);
  }
  return error instanceof TollgateError && error.code === 'invalid_api_type';
}

/** False for a model of a vendor whose other models can be counted. */
function canCount(channel: ChannelView, endpoint: Endpoint, model: string): boolean {
  const adapter = providerOf(channel.record.type);
  const named = namesOn(channel, model)?.upstream ?? model;
  return adapter !== undefined && chooseLane(adapter, channel, endpoint, { settings: {}, model: named }) !== undefined;
}

/** The conversation that is counted, as an endpoint of its own. */
function chatOf({ operation: _, ...endpoint }: Endpoint): Endpoint {
  return { ...endpoint, capability: 'chat' };
}

function shown({ format }: Endpoint, tokens: number): Json {
  if (format === 'anthropic-messages') return { input_tokens: tokens };
  return { totalTokens: tokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens }] };
}
