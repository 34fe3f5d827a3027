/**
 * Anthropic Messages on the native lane: its events say what they are by `type`, usage comes in two halves, at the
 * beginning and at the end.
 */
import type { ToolCounts } from './canonical/usage.ts';
import { anthropicStreamError, type ClientError } from './error-body.ts';
import { failedReport } from './failure-body.ts';
import { anthropicUsageReader, isSearchResult } from './formats/anthropic-messages/usage.ts';
import { asObject, asObjects, asText, asWord } from './formats/fields.ts';
import { encodeSse } from './framing/sse.ts';
import { handedOutContainer, madeFiles, messageId } from './handed-out.ts';
import type { JsonObject } from './json.ts';
import type { StreamEvent } from './native-events.ts';
import {
  type BreakRecord,
  type EventFacts,
  type StreamProfile,
  type StreamTail,
  silentEvent,
} from './native-profile.ts';
import type { ItemNames } from './stored-answer.ts';

/** What a block says of itself, whole or as it begins. */
function readBlock(block: JsonObject | undefined): EventFacts {
  const type = asWord(block?.type) ?? '';
  if (type === '' || type === 'text') return { ...silentEvent, text: asText(block?.text) ?? '' };
  const thought = asText(block?.thinking) ?? '';
  if (type === 'thinking') return { ...silentEvent, text: thought, isSubstantial: thought !== '' };
  if (type !== 'tool_use') return { ...silentEvent, isSubstantial: true };
  const input = asObject(block?.input);
  const given = input === undefined || Object.keys(input).length === 0 ? '' : JSON.stringify(input);
  return { ...silentEvent, text: (asText(block?.name) ?? '') + given, toolCalls: 1, isSubstantial: true };
}

function readDelta(delta: JsonObject | undefined): EventFacts {
  const visible = asText(delta?.text);
  if (visible !== undefined) return { ...silentEvent, text: visible };
  const text = asText(delta?.thinking) ?? asText(delta?.partial_json) ?? '';
  return { ...silentEvent, text, isSubstantial: text !== '' };
}

/** How an answer ended, by its `stop_reason`. */
function readStop(reason: unknown): EventFacts['finish'] {
  if (typeof reason !== 'string' || reason === '') return 'none';
  return /^(max_tokens|model_context_window_exceeded|refusal)$/.test(reason) ? 'cut' : 'natural';
}

function readEvent(json: JsonObject | undefined): EventFacts | undefined {
  switch (json?.type) {
    case 'content_block_start':
      return readBlock(asObject(json.content_block));
    case 'content_block_delta':
      return readDelta(asObject(json.delta));
    case 'message_delta':
      return { ...silentEvent, finish: readStop(asObject(json.delta)?.stop_reason) };
    case 'message_stop':
      return { ...silentEvent, finish: 'natural', isLast: true };
    default:
      return asWord(json?.type) === undefined ? undefined : silentEvent;
  }
}

/** A tool's result comes whole, in the event that begins its block. */
function readFiles({ json }: StreamEvent): readonly ItemNames[] {
  return madeFiles(asObject(json?.content_block) ?? {}).map((id) => ({ id, container: undefined }));
}

/** All blocks of a complete message taken together. */
export function readMessageAnswer(body: JsonObject): EventFacts {
  let facts: EventFacts = { ...silentEvent, finish: readStop(body.stop_reason) };
  for (const block of asObjects(body.content)) {
    const read = readBlock(block);
    facts = {
      ...facts,
      text: facts.text + read.text,
      toolCalls: facts.toolCalls + read.toolCalls,
      isSubstantial: facts.isSubstantial || read.isSubstantial,
    };
  }
  return facts;
}

/** True for the error object that may stand where a message or an event was due. */
export function isMessagesError(body: JsonObject): boolean {
  if (failedReport(body) !== undefined) return true;
  return body.type === 'error' || (body.type === undefined && asObject(body.error) !== undefined);
}

/** The stream ends with the error event, and with no `message_stop`; of what came before only searches matter. */
class MessagesBreak implements BreakRecord {
  #searches = 0;

  add({ json }: StreamEvent): void {
    if (isSearchResult(asObject(json?.content_block))) this.#searches += 1;
  }

  tools(): ToolCounts | undefined {
    return this.#searches === 0 ? undefined : { claude_web_search: this.#searches };
  }

  end(error: ClientError, tail: StreamTail): Buffer {
    return anthropicStreamError(error, tail.requestId);
  }
}

export const messagesProfile: StreamProfile = {
  format: 'anthropic-messages',
  endMark: undefined,
  namesEvents: true,
  lastEvent: encodeSse({ event: 'message_stop', data: '{"type":"message_stop"}' }),
  usageOnRequest: false,
  usageMark: Buffer.from('_token'),
  usageMember: /(?:^|[^\\])"(input|output)$/,
  finishMarks: ['"type":"message_stop"', '"type": "message_stop"'],
  usageReader: anthropicUsageReader,
  handedOut: handedOutContainer,
  messageId,
  items: { bytes: Buffer.from('file_id"'), read: readFiles },
  hideUsage: () => [],
  readEvent: ({ json }) => readEvent(json),
  isError: ({ json }) => json !== undefined && isMessagesError(json),
  usageEvent: () => undefined,
  record: () => new MessagesBreak(),
};
