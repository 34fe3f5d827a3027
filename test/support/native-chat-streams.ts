/** Streams of chat as OpenAI's clients know them, and what the native lane makes of them. */
import { asObject, parseJson } from '../../daemon/relay/formats/fields.ts';
import { SseParser } from '../../daemon/relay/framing/sse.ts';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { chatProfile } from '../../daemon/relay/native-profile-chat.ts';
import { NativeStream, type NativeStreamOptions } from '../../daemon/relay/native-stream.ts';

export const base = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 7, model: 'upstream-model' };
export const put = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;
export const chunk = (delta: object, finish: string | null = null, rest: object = {}) =>
  put({ ...base, choices: [{ index: 0, delta, finish_reason: finish }], ...rest });
export const text = (content: string) => chunk({ content });
export const stop = chunk({}, 'stop');
export const done = 'data: [DONE]\n\n';
export const broke = { status: 502, type: 'upstream_error', code: 'upstream_eof', message: 'broke', param: null };

/** The lane for a client that did not ask for usage. */
export function open(options: Partial<NativeStreamOptions> = {}): NativeStream {
  return new NativeStream({
    profile: chatProfile,
    hideUsage: true,
    model: 'client-model',
    renameModel: false,
    promptTokens: () => 9,
    ...options,
  });
}

/** The stream when it has ended, and all that the client was given of it. */
export function run(pieces: readonly string[], options: Partial<NativeStreamOptions> = {}) {
  const stream = open(options);
  let out = '';
  for (const piece of pieces) out += stream.push(Buffer.from(piece))?.toString() ?? '';
  out += stream.end()?.toString() ?? '';
  return { stream, out };
}

export function eventsOf(bytes: string | Buffer): JsonObject[] {
  const payloads = new SseParser().push(Buffer.from(bytes)).map((event) => asObject(parseJson(event.data)));
  return payloads.filter((payload) => payload !== undefined);
}
