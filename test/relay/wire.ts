/** Bodies that relay tests send and upstreams answer with. */
import type { JsonObject } from '../../daemon/relay/json.ts';

export const chatRequest = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };

export const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };

/** A complete chat answer. */
export function completion(over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1700000000,
    model: 'gpt-4o-2024-08-06',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello there' }, finish_reason: 'stop' }],
    usage,
    ...over,
  };
}

/** A complete answer of Anthropic's. */
export function claudeMessage(over: JsonObject = {}): JsonObject {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 1 },
    ...over,
  };
}

/** One chunk of a chat stream. */
export function chunk(delta: Record<string, unknown>, over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1700000000,
    model: 'gpt-4o-2024-08-06',
    choices: [{ index: 0, delta, finish_reason: null }],
    ...over,
  };
}

export const roleChunk = chunk({ role: 'assistant', content: '' });
export const finishChunk = chunk({}, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
export const usageChunk = chunk({}, { choices: [], usage });

/** A whole stream that says the words. */
export function streamOf(words: readonly string[], withUsage = true): unknown[] {
  const said = words.map((content) => chunk({ content }));
  return [roleChunk, ...said, finishChunk, ...(withUsage ? [usageChunk] : []), '[DONE]'];
}

/** Payloads of the events in an SSE text. */
export function events(text: string): string[] {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice(6));
}

/** Text that the chunks of a chat stream say. */
export function saidIn(text: string): string {
  return events(text)
    .filter((payload) => payload !== '[DONE]')
    .map((payload) => JSON.parse(payload))
    .map((event) => event.choices?.[0]?.delta?.content ?? '')
    .join('');
}
