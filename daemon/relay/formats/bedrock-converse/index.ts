/**
 * Bedrock's own chat, one form for the models of every vendor it hosts. It says what Messages says in other words, so
 * it is written as a change of that wire. Source: providers/bedrock.md, read 2026-11.
 */
import type { TollgateError, UpstreamFailure } from '../../../errors.ts';
import type { ChatEvent, ChatRequest } from '../../canonical/chat.ts';
import type { Machine, Scope, UpstreamFormat, WireEvent } from '../../format.ts';
import { isObject, type Json } from '../../json.ts';
import { anthropicMessages } from '../anthropic-messages/index.ts';
import { messageOf } from './decode-answer.ts';
import { ConverseReader } from './decode-stream.ts';
import { converseBody } from './encode-body.ts';
import { familyOf } from './families.ts';

export const bedrockConverse: UpstreamFormat = {
  id: 'bedrock-converse',
  inlines: ['image', 'document'],
  encodeRequest,
  decodeResponse: (body, scope) => anthropicMessages.decodeResponse(isObject(body) ? messageOf(body) : body, scope),
  decodeStream: (scope) => new ConverseStream(anthropicMessages.decodeStream(scope)),
  readUsage: (body) => (isObject(body) ? anthropicMessages.readUsage(messageOf(body)) : undefined),
};

/** Throws `convert_request_failed` for content that this format has no word for. */
function encodeRequest(request: ChatRequest, scope: Scope): Json {
  const family = familyOf(request.model);
  // Only Claude is told how to think in the words of Messages; the others have words of their own.
  const { reasoning, ...rest } = request;
  const told = family === 'claude' ? request : rest;
  // Of the models that are asked so, Amazon's own see videos.
  const traits = { ...scope.traits, anyDocument: true, video: family === 'nova' };
  const message = anthropicMessages.encodeRequest(told, { ...scope, traits });
  if (!isObject(message)) return message;
  const effort = family === 'claude' ? undefined : reasoning;
  return converseBody(message, { family, request, effort, scope, documents: new Map() });
}

class ConverseStream implements Machine<WireEvent, ChatEvent> {
  readonly #reader = new ConverseReader();
  readonly #inner: Machine<WireEvent, ChatEvent>;

  constructor(inner: Machine<WireEvent, ChatEvent>) {
    this.#inner = inner;
  }

  push(event: WireEvent): ChatEvent[] {
    return this.#reader.push(event).flatMap((message) => this.#inner.push(message));
  }

  end(): ChatEvent[] {
    return [...this.#reader.end().flatMap((message) => this.#inner.push(message)), ...this.#inner.end()];
  }

  fail(error: TollgateError | UpstreamFailure): ChatEvent[] {
    return this.#inner.fail(error);
  }
}
