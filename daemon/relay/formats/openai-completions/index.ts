/**
 * The legacy completions format for channels that only converse (relay.md 5.4): the prompt becomes one user message,
 * the answer is put into the old shape. Everything else is the chat format's.
 */
import type { TollgateError, UpstreamFailure } from '../../../errors.ts';
import type { ChatFormat, Machine, WireEvent } from '../../format.ts';
import { isObject, type Json, type JsonObject } from '../../json.ts';
import { asIndex, asObject, asObjects, asText, asWord, inexpressible, parseJson, remainder } from '../fields.ts';
import { openaiChat } from '../openai-chat/index.ts';
import { findUsage } from '../openai-chat/read-usage.ts';

/** Members that a conversation does not know; all others are read, carried or noted as those of a chat. */
const own = new Set(['prompt', 'suffix', 'best_of', 'logprobs', 'echo']);

function promptOf(prompt: Json | undefined): string {
  const [only, another] = Array.isArray(prompt) ? prompt : [prompt];
  if (another === undefined && typeof only === 'string') return only;
  const what = typeof only === 'string' ? 'several prompts' : 'lists of token ids';
  throw inexpressible('prompt', `${what} cannot be sent to this channel`);
}

/** The body as a chat request. What no conversation can say is refused where it would change the answer. */
function asChat(body: Json): JsonObject {
  if (!isObject(body)) return { messages: [] };
  for (const field of ['suffix', 'best_of', 'logprobs']) {
    const value = body[field];
    const isIdle = value === 0 || value === '' || (field === 'best_of' && value === 1);
    if (value !== undefined && value !== null && !isIdle) {
      throw inexpressible(field, 'cannot be sent to this channel');
    }
  }
  if (body.echo === true) throw inexpressible('echo', 'cannot be sent to this channel');
  return { ...remainder(body, own), messages: [{ role: 'user', content: promptOf(body.prompt) }] };
}

const chatId = /^chatcmpl-/;

/** A chat answer or chunk in the old shape. */
function asCompletion(chat: JsonObject): JsonObject {
  if (chat.choices === undefined) return chat;
  const id = asWord(chat.id);
  const choices = asObjects(chat.choices).map((choice, index) => {
    const said = asObject(choice.message) ?? asObject(choice.delta);
    return {
      text: asText(said?.content) ?? '',
      index: asIndex(choice.index) ?? index,
      logprobs: null,
      finish_reason: choice.finish_reason ?? null,
    };
  });
  return {
    ...chat,
    ...(id === undefined ? {} : { id: id.replace(chatId, 'cmpl-') }),
    object: 'text_completion',
    choices,
  };
}

/** An answer or chunk in the old shape as one of a chat. */
function fromCompletion(old: JsonObject, member: 'message' | 'delta'): JsonObject {
  if (old.choices === undefined) return old;
  const choices = asObjects(old.choices).map(({ text, index, finish_reason }) => ({
    index: index ?? 0,
    [member]: { role: 'assistant', content: asText(text) ?? '' },
    finish_reason: finish_reason ?? null,
  }));
  return { ...old, choices };
}

/** Chunks that only open a chat or bring what the old shape has no place for say nothing here. */
function saysNothing(chunk: JsonObject): boolean {
  const choices = asObjects(chunk.choices);
  const isUsage = choices.length === 0;
  return !isUsage && choices.every(({ text, finish_reason }) => text === '' && finish_reason === null);
}

function reshaped(event: WireEvent): WireEvent[] {
  const chunk = asObject(parseJson(event.data));
  if (chunk === undefined || chunk.choices === undefined) return [event];
  const old = asCompletion(chunk);
  return saysNothing(old) ? [] : [{ ...event, data: JSON.stringify(old) }];
}

/** The chat's events in the old shape. */
function inOldShape<In>(chat: Machine<In, WireEvent>): Machine<In, WireEvent> {
  return {
    push: (input) => chat.push(input).flatMap(reshaped),
    end: () => chat.end().flatMap(reshaped),
    fail: (error: TollgateError | UpstreamFailure) => chat.fail(error).flatMap(reshaped),
  };
}

export const openaiCompletions: ChatFormat = {
  id: 'openai-completions',
  decodeRequest: (body) => openaiChat.decodeRequest(asChat(body)),
  encodeRequest: () => {
    // Upstreams that speak this format are asked with the client's own bytes.
    throw new TypeError('completions are never translated into');
  },
  decodeResponse: (body, scope) =>
    openaiChat.decodeResponse(isObject(body) ? fromCompletion(body, 'message') : body, scope),
  encodeResponse(response, request, scope) {
    const chat = openaiChat.encodeResponse(response, request, scope);
    return isObject(chat) ? asCompletion(chat) : chat;
  },
  decodeStream(scope) {
    const chat = openaiChat.decodeStream(scope);
    return {
      push(event) {
        const old = asObject(parseJson(event.data));
        return chat.push(old === undefined ? event : { ...event, data: JSON.stringify(fromCompletion(old, 'delta')) });
      },
      end: () => chat.end(),
      fail: (error) => chat.fail(error),
    };
  },
  encodeStream: (request, scope) => inOldShape(openaiChat.encodeStream(request, scope)),
  readUsage: findUsage,
};
