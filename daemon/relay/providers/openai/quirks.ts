/**
 * Parameters that OpenAI's models refuse. Source: relay.md 12.3 and providers/openai.md, "per-model rules", read 2026-11.
 */
import type { FormatId } from '../../format.ts';
import { asList, asObject } from '../../formats/fields.ts';
import { fitReasoningModel, isReasoningModel } from '../../formats/openai-chat/model-rules.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';
import { removeFields } from '../wire-edits.ts';

const searchModel = /-search(-|$)/;
/** These have no setting below `low`. */
const alwaysThinking = /^gpt-6(-astra|\.1-sol)/;

/** These answer with the bytes of their images, and refuse to be asked for them. */
const bytesAlone = /^(?:chat)?gpt-image/;
const imageFormats: ReadonlySet<FormatId> = new Set(['openai-images', 'openai-image-edits']);

/** True for calls to models that refuse something. */
export function isFitted({ format, model }: UpstreamCall): boolean {
  if (format === 'openai-responses') return alwaysThinking.test(model);
  if (imageFormats.has(format)) return bytesAlone.test(model);
  return format === 'openai-chat' && (isReasoningModel(model) || searchModel.test(model));
}

/** Fits a body of chat, of Responses or for images to its model; other formats go as they are. */
export function fitOpenAiModel(body: JsonObject, call: UpstreamCall): void {
  if (imageFormats.has(call.format) && bytesAlone.test(call.model) && body.response_format === 'b64_json') {
    delete body.response_format;
  }
  if (alwaysThinking.test(call.model)) dropLeastEffort(body);
  if (call.format !== 'openai-chat') return;
  fitReasoningModel(body, call.model);
  if (searchModel.test(call.model)) {
    removeFields(body, ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'n']);
  }
}

/** Either dialect's word for no thought, or hardly any. */
function dropLeastEffort(body: JsonObject): void {
  if (isLeast(body.reasoning_effort)) delete body.reasoning_effort;
  const { effort, ...reasoning } = asObject(body.reasoning) ?? {};
  if (!isLeast(effort)) return;
  if (Object.keys(reasoning).length === 0) delete body.reasoning;
  else body.reasoning = reasoning;
}

function isLeast(effort: Json | undefined): boolean {
  return effort === 'none' || effort === 'minimal';
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
