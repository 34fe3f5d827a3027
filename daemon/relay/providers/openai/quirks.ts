/**
 * Parameters that OpenAI's models refuse. Source: relay.md 12.3 and providers/openai.md, "per-model rules", read 2026-11.
 */
import { asList } from '../../formats/fields.ts';
import { fitReasoningModel, isReasoningModel } from '../../formats/openai-chat/model-rules.ts';
import type { JsonObject } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';
import { removeFields } from '../wire-edits.ts';

const searchModel = /-search(-|$)/;
/** These have no setting below `low`. */
const alwaysThinking = /^gpt-6(-astra|\.1-sol)/;

/** True for calls to models that refuse something. */
export function isFitted(call: UpstreamCall): boolean {
  return call.format === 'openai-chat' && (isReasoningModel(call.model) || searchModel.test(call.model));
}

/** Fits a chat body to its model; other formats go as they are. */
export function fitOpenAiModel(body: JsonObject, call: UpstreamCall): void {
  if (call.format !== 'openai-chat') return;
  const effort = body.reasoning_effort;
  if (alwaysThinking.test(call.model) && (effort === 'none' || effort === 'minimal')) delete body.reasoning_effort;
  fitReasoningModel(body, call.model);
  if (searchModel.test(call.model)) {
    removeFields(body, ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'n']);
  }
}

/** The newest family takes tools in Responses alone; one of it also in chat, while it does not reason. */
export function takesToolsElsewhere(
  { format, model }: Pick<UpstreamCall, 'format' | 'model'>,
  body: JsonObject,
): boolean {
  if (format !== 'openai-chat' || !/^gpt-6/.test(model)) return false;
  const offersTools = asList(body.tools).length > 0 || asList(body.functions).length > 0;
  return offersTools && !(/^gpt-6-sol/.test(model) && body.reasoning_effort === 'none');
}
