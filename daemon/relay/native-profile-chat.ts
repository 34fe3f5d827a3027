/**
 * Chat completions and legacy completions on the native lane.
 */
import type { Usage } from './canonical/usage.ts';
import { type ClientError, openaiStreamError } from './error-body.ts';
import { asList, asObject, asObjects, asText, asWord } from './formats/fields.ts';
import { readReportedError } from './formats/openai-chat/error.ts';
import { encodeUsage, findUsage } from './formats/openai-chat/read-usage.ts';
import { encodeSse } from './framing/sse.ts';
import { handedOutSpeech } from './handed-out.ts';
import type { JsonObject } from './json.ts';
import {
  type BreakRecord,
  type EventFacts,
  type StreamProfile,
  type StreamTail,
  silentEvent,
  withSounds,
} from './native-profile.ts';
import type { SoundPiece } from './tokens/sound-meter.ts';

/** A message, or the part of one that a chunk brings. */
function readMessage(message: JsonObject): Omit<EventFacts, 'finish'> {
  const reasoning = asText(message.reasoning_content) ?? asText(message.reasoning) ?? '';
  const refusal = asText(message.refusal) ?? '';
  const audio = asObject(message.audio);
  const sound = asText(audio?.data);
  let text = reasoning + refusal + (asText(audio?.transcript) ?? '');
  let isSubstantial = text.trim() !== '';
  let hasMedia = audio !== undefined || asList(message.images).length > 0;
  if (typeof message.content === 'string') text += message.content;
  for (const part of asObjects(message.content)) {
    text += asText(part.text) ?? '';
    for (const thought of asObjects(part.thinking)) text += asText(thought.text) ?? '';
    if (part.type === 'thinking') isSubstantial = true;
    else if (part.type !== 'text' && part.type !== 'reference') hasMedia = true;
  }
  let toolCalls = 0;
  for (const call of [...asObjects(message.tool_calls), asObject(message.function_call)]) {
    if (call === undefined) continue;
    const named = asObject(call.function) ?? asObject(call.custom) ?? call;
    const name = asWord(named.name);
    if (name !== undefined) toolCalls += 1;
    text += (name ?? '') + (asText(named.arguments) ?? asText(named.input) ?? '');
    isSubstantial = true;
  }
  return { text, toolCalls, hasMedia, isSubstantial, ...(sound === undefined ? {} : { sounds: [{ data: sound }] }) };
}

/** How a choice ended, by its `finish_reason`. */
function readFinish(word: unknown): EventFacts['finish'] {
  if (typeof word !== 'string' || word === '') return 'none';
  return /^(length|max_tokens|model_length|content_filter|sensitive|safety)$/.test(word) ? 'cut' : 'natural';
}

/** All choices of a chunk taken together. A server that repeats the message so far beside the piece means the piece. */
function readChunk(body: JsonObject): EventFacts {
  return readChoices(body, (choice) => asObject(choice.delta) ?? asObject(choice.message));
}

/** All choices of a whole answer taken together. A piece beside the message, which Perplexity leaves there, is empty. */
export function readChatAnswer(body: JsonObject): EventFacts {
  return readChoices(body, (choice) => asObject(choice.message) ?? asObject(choice.delta));
}

function readChoices(body: JsonObject, saidIn: (choice: JsonObject) => JsonObject | undefined): EventFacts {
  let facts = silentEvent;
  const sounds: SoundPiece[] = [];
  for (const choice of asObjects(body.choices)) {
    const message = saidIn(choice) ?? { content: asText(choice.text) ?? '' };
    const read = readMessage(message);
    const finish = readFinish(choice.finish_reason);
    facts = {
      text: facts.text + read.text,
      toolCalls: facts.toolCalls + read.toolCalls,
      hasMedia: facts.hasMedia || read.hasMedia,
      isSubstantial: facts.isSubstantial || read.isSubstantial,
      finish: facts.finish === 'cut' || finish === 'none' ? facts.finish : finish,
    };
    sounds.push(...(read.sounds ?? []));
  }
  return withSounds(facts, sounds);
}

/** True for an error where an answer or a chunk was due. */
export function isChatError(body: JsonObject): boolean {
  return readReportedError(body) !== undefined;
}

function hideUsage(event: JsonObject): 'all' | readonly (readonly string[])[] {
  if (asList(event.choices).length === 0) return 'all';
  return [['usage'], ['x_groq', 'usage'], ['choices', '0', 'usage']];
}

function ownUsage({ usage, x_groq, choices }: JsonObject): JsonObject | undefined {
  return asObject(usage) ?? asObject(asObject(x_groq)?.usage) ?? asObject(asObjects(choices)[0]?.usage);
}

/** Nothing of earlier chunks is needed: the stream ends with the error object, and with no end mark. */
class ChatBreak implements BreakRecord {
  readonly #usageEvent: (usage: Usage, tail: StreamTail) => Buffer;
  constructor(usageEvent: (usage: Usage, tail: StreamTail) => Buffer) {
    this.#usageEvent = usageEvent;
  }

  add(): void {}

  end(error: ClientError, tail: StreamTail & { usage: Usage | undefined }): Buffer {
    const last = openaiStreamError(error);
    return tail.usage === undefined ? last : Buffer.concat([this.#usageEvent(tail.usage, tail), last]);
  }
}

function chunkProfile(format: 'openai-chat' | 'openai-completions', object: string): StreamProfile {
  const usageEvent = (usage: Usage, { first, model: asked, isRenamed }: StreamTail, own?: JsonObject): Buffer => {
    const { id = null, created = 0, model: reported } = first?.json ?? {};
    const model = isRenamed ? asked : (asWord(reported) ?? asked);
    return encodeSse({
      data: JSON.stringify({ id, object, created, model, choices: [], usage: own ?? encodeUsage(usage) }),
    });
  };
  return {
    format,
    endMark: '[DONE]',
    usageOnRequest: true,
    usageMark: Buffer.from('_token'),
    usageMember: /(?:^|[^\\])"(prompt|completion|total|input|output)$/,
    finishMarks: ['"finish_reason":"', '"finish_reason": "'],
    usageReader: () => findUsage,
    hideUsage,
    ownUsage,
    readEvent: ({ json }) => (json?.choices === undefined ? undefined : readChunk(json)),
    isError: ({ json }) => json !== undefined && isChatError(json),
    answerMark: Buffer.from('"choices"'),
    usageEvent,
    record: () => new ChatBreak(usageEvent),
  };
}

export const chatProfile: StreamProfile = {
  ...chunkProfile('openai-chat', 'chat.completion.chunk'),
  handedOut: handedOutSpeech,
};
export const completionsProfile = chunkProfile('openai-completions', 'text_completion');
