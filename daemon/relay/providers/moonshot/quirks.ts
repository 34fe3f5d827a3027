/**
 * Parameters that Kimi models pin or refuse. Source: providers/moonshot.md, read 2026-11; of the role `developer`, which
 * they answer with 400: github.com/earendil-works/pi/pull/8109, read 2026-11.
 */
import { asObject, entryOf } from '../../formats/fields.ts';
import type { StopRule } from '../../formats/stop-words.ts';
import { isObject, type JsonObject } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';
import {
  developerToSystem,
  fewerStops,
  removeFields,
  removeFromFunctions,
  schemaAsInstruction,
} from '../wire-edits.ts';

/** From K2.5 on the sampling values are fixed; any other is refused. */
const pinnedSampling = /^kimi-(k2\.[5-9]|k[3-9])/;
const adjustableDepth = /^kimi-k[3-9]/;
/** These can be told to think or not. */
const switchable = /^kimi-k2\.[56]/;

const depths: Readonly<Record<string, string>> = {
  none: 'low',
  minimal: 'low',
  low: 'low',
  medium: 'high',
  high: 'high',
  xhigh: 'max',
  max: 'max',
};

const stopRule: StopRule = { most: 5, fits: (word) => Buffer.byteLength(word) <= 32 };

export function fitKimi(body: JsonObject, { model, format }: UpstreamCall): void {
  if (format !== 'openai-chat') return;
  developerToSystem(body);
  fewerStops(body, stopRule);
  // The vendor takes these and does nothing by them: left out, they are noted as lost.
  removeFields(body, ['seed', 'logprobs', 'top_logprobs', 'logit_bias', 'user']);
  if (pinnedSampling.test(model)) {
    removeFields(body, ['temperature', 'top_p', 'n', 'presence_penalty', 'frequency_penalty']);
  } else {
    const { temperature, n } = body;
    if (typeof temperature === 'number' && temperature > 1) body.temperature = 1;
    const isNearZero = typeof temperature === 'number' && temperature < 0.3;
    if (isNearZero && typeof n === 'number' && n > 1) body.temperature = 0.3;
    if (body.tool_choice === 'required') body.tool_choice = 'auto';
    schemaAsInstruction(body);
  }
  const depth = typeof body.reasoning_effort === 'string' ? entryOf(depths, body.reasoning_effort) : undefined;
  if (depth !== undefined && adjustableDepth.test(model)) body.reasoning_effort = depth;
  else {
    if (depth !== undefined && switchable.test(model)) {
      body.thinking ??= { type: body.reasoning_effort === 'none' ? 'disabled' : 'enabled' };
    }
    delete body.reasoning_effort;
  }
  // While it thinks it chooses by itself, and refuses to be told by name.
  const thinks = pinnedSampling.test(model) && asObject(body.thinking)?.type !== 'disabled';
  if (thinks && isObject(body.tool_choice)) body.tool_choice = 'auto';
  removeFromFunctions(body, 'strict');
}
