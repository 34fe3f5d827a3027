/** How DeepSeek's chat differs from OpenAI's. Source: providers/deepseek.md, read 2026-11. */
import { asList, asObject } from '../../formats/fields.ts';
import type { JsonObject } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';
import {
  changeMessages,
  developerToSystem,
  fewerStops,
  plainContent,
  removeFields,
  renameField,
  schemaAsInstruction,
} from '../wire-edits.ts';

/** Models that take images, and so lists of parts. */
const seesImages = /^deepseek-flash|vision/;

export function fitDeepSeek(body: JsonObject, call: UpstreamCall): void {
  if (call.format !== 'openai-chat') return;
  renameField(body, 'max_completion_tokens', 'max_tokens');
  developerToSystem(body);
  schemaAsInstruction(body);
  fewerStops(body, { most: 16 });
  // Overlooked there, so that whoever asks is told.
  removeFields(body, ['n', 'seed', 'logit_bias', 'user', 'parallel_tool_calls']);
  if (body.reasoning_effort === 'none') {
    delete body.reasoning_effort;
    body.thinking = { type: 'disabled' };
  }
  if (asObject(body.thinking)?.type === 'adaptive') body.thinking = { type: 'enabled' };
  const thinks = asObject(body.thinking)?.type !== 'disabled';
  changeMessages(body, (message) => {
    const text = seesImages.test(call.model) ? undefined : plainContent(message.content);
    const flat = text === undefined ? message : { ...message, content: text };
    // A turn that called tools while thinking is refused without its thoughts, even empty ones.
    const hasCalled = flat.role === 'assistant' && asList(flat.tool_calls).length > 0;
    const lacksThoughts = thinks && hasCalled && (flat.reasoning_content ?? null) === null;
    return lacksThoughts ? { ...flat, reasoning_content: '' } : flat;
  });
}
