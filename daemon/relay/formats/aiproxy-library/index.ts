/** Questions to a knowledge base of AI Proxy. Source: providers/aiproxy-library.md, read 2026-11. */
import type { Scope, WireEvent } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asObjects, asText, asWord } from '../fields.ts';
import { chunkOf, completionOf, errorOf, payloadOf, textOfContent, vendorChat } from '../vendor-chat.ts';

/** The last message alone is the question. */
function encode(body: JsonObject, scope: Scope): JsonObject {
  const messages = asObjects(body.messages);
  if (messages.length > 1) scope.lose(`messages[..${messages.length - 1}]`);
  const query = textOfContent(messages.at(-1)?.content);
  return { model: body.model ?? '', query, stream: body.stream === true };
}

function readError(body: JsonObject): JsonObject | undefined {
  const code = asWord(body.errCode);
  return body.success === false || code !== undefined ? errorOf(code ?? 'failed', body.message, 400) : undefined;
}

/** The sources as a numbered list below the answer. */
function sources(documents: Json | undefined): string {
  const lines = asObjects(documents).map(
    ({ title, url }, at) => `${at + 1}. [${asText(title) ?? ''}](${asText(url) ?? ''})`,
  );
  return lines.length === 0 ? '' : `\n\n${lines.join('\n')}`;
}

function readEvent(event: WireEvent): JsonObject[] {
  const body = payloadOf(event);
  if (body === undefined) return [];
  const error = readError(body);
  if (error !== undefined) return [error];
  const text = asText(body.content) ?? '';
  if (body.finish !== true) return [chunkOf(body, { content: text })];
  return [chunkOf(body, { content: text + sources(body.documents) }, 'stop')];
}

export const aiproxyLibrary = vendorChat({
  id: 'aiproxy-library',
  takes: [],
  reads: { parts: [], members: [] },
  encode,
  answer: (body) =>
    readError(body) ??
    completionOf({}, { content: (asText(body.answer) ?? '') + sources(body.documents) }, { finish: 'stop' }),
  reader: () => ({ push: readEvent }),
});
