/** Zhipu's third generation: prompts and raw text events. Source: providers/zhipu.md (v3), read 2026-11. */
import type { WireEvent } from '../../format.ts';
import type { JsonObject } from '../../json.ts';
import { asNumber, asObject, asObjects, asText, parseJson } from '../fields.ts';
import { chunkOf, completionOf, errorOf, textOfContent, usageChunk, usageOf, vendorChat } from '../vendor-chat.ts';

/** The interval is open: both ends are refused. */
function inside(value: number): number {
  return Math.min(0.99, Math.max(0.01, value));
}

function encode(body: JsonObject): JsonObject {
  const prompt = asObjects(body.messages).flatMap(({ role, content }) => {
    const turn = { role: role === 'assistant' ? 'assistant' : 'user', content: textOfContent(content) };
    const isSystem = role === 'system' || role === 'developer';
    return isSystem ? [turn, { role: 'assistant', content: 'Okay' }] : [turn];
  });
  const wire: JsonObject = { model: body.model ?? '', prompt };
  const temperature = asNumber(body.temperature);
  if (temperature !== undefined) wire.temperature = inside(temperature);
  const topP = asNumber(body.top_p);
  if (topP !== undefined) wire.top_p = inside(topP);
  if (body.stream === true) wire.incremental = true;
  return wire;
}

/** Answers come as JSON strings inside the text, more often than not. */
function unquote(text: string): string {
  const value = text.startsWith('"') ? parseJson(text) : undefined;
  return typeof value === 'string' ? value : text;
}

function readAnswer(body: JsonObject): JsonObject {
  if (body.success === false) return errorOf(String(body.code ?? ''), body.msg);
  const facts = asObject(body.data) ?? {};
  const usage = asObject(facts.usage);
  const [choice] = asObjects(facts.choices);
  const content = unquote(asText(choice?.content) ?? '').trimStart();
  return completionOf(
    { id: facts.request_id },
    { content },
    {
      finish: 'stop',
      usage: usage && usageOf(usage.prompt_tokens, usage.completion_tokens),
    },
  );
}

function readEvent({ event, data, meta }: WireEvent): JsonObject[] {
  if (event === 'add') return [chunkOf({}, { content: data })];
  if (event !== 'finish') {
    const body = asObject(parseJson(data));
    if (body?.success === false) return [errorOf(String(body.code ?? ''), body.msg)];
    return event === 'error' || event === 'interrupted' ? [errorOf(event, data)] : [];
  }
  const facts = asObject(parseJson(meta ?? ''));
  const usage = asObject(facts?.usage);
  const known = { id: facts?.request_id };
  const last = chunkOf(known, { content: data }, 'stop');
  return usage === undefined
    ? [last]
    : [last, usageChunk(known, usageOf(usage.prompt_tokens, usage.completion_tokens))];
}

export const zhipuV3 = vendorChat({
  id: 'zhipu-v3',
  takes: ['temperature', 'top_p'],
  reads: { parts: [], members: [] },
  encode,
  answer: readAnswer,
  reader: () => ({ push: readEvent }),
});
