/** iFlytek Spark over HTTP: chat completions with a report beside each answer. Source: providers/xunfei.md, read 2026-11. */
import type { Scope, WireEvent } from '../../format.ts';
import type { JsonObject } from '../../json.ts';
import { asList, asObject, asObjects, asWord } from '../fields.ts';
import { type ChunkReader, chunkOf, errorOf, payloadOf, vendorChat } from '../vendor-chat.ts';

/** The newest family has these fixed. */
const fixed: Readonly<Record<string, number>> = { temperature: 1, top_p: 0.95 };

/** The families that reason, and take a word on it. */
export function isThinking(model: string): boolean {
  return /(?:^|-)x\d*(?:\.\d+)?(?:-|$)/i.test(model);
}

/** The answer was found wanting on its way: what has been said of it stands, and nothing follows. */
export function isCutByFilter({ error }: JsonObject): boolean {
  return asObject(error)?.code === '10014';
}

function encode(body: JsonObject, scope: Scope): JsonObject {
  if (/^spark-x2\.5/i.test(asWord(body.model) ?? '')) {
    for (const [field, value] of Object.entries(fixed)) {
      if (body[field] !== undefined && body[field] !== value) scope.lose(field);
      delete body[field];
    }
    // And knows the limit of its answers by the newer name.
    const { max_tokens: limit } = body;
    delete body.max_tokens;
    if (limit !== undefined) body.max_completion_tokens = limit;
  }
  const effort = asWord(body.reasoning_effort);
  delete body.reasoning_effort;
  if (isThinking(asWord(body.model) ?? '')) {
    if (effort !== undefined) body.thinking ??= { type: effort === 'none' ? 'disabled' : 'enabled' };
  } else {
    if (body.thinking !== undefined) scope.lose('thinking');
    else if (effort !== undefined && effort !== 'none') scope.lose('reasoning_effort');
    delete body.thinking;
  }
  // Older models return one call as an object, unless asked for the list that everybody else sends.
  if (asList(body.tools).length > 0) body.tool_calls_switch = true;
  return body;
}

function readError(body: JsonObject): JsonObject | undefined {
  if (asObject(body.error) !== undefined) return body;
  const code = body.code;
  // Some hosts write it as text.
  const told = typeof code === 'number' ? String(code) : asWord(code);
  return told === undefined || told === '0' ? undefined : errorOf(told, body.message);
}

/** Calls as a list, whatever came. */
function listed(message: JsonObject): JsonObject {
  const call = asObject(message.tool_calls);
  return call === undefined ? message : { ...message, tool_calls: [{ index: 0, id: 'call_0', ...call }] };
}

function fit({ code: _, message: _told, sid, ...body }: JsonObject): JsonObject {
  const choices = asObjects(body.choices).map((choice) => {
    const fitted: JsonObject = { ...choice };
    for (const part of ['message', 'delta']) {
      const message = asObject(choice[part]);
      if (message !== undefined) fitted[part] = listed(message);
    }
    return fitted;
  });
  return { ...body, id: body.id ?? sid ?? null, choices };
}

/** No chunk says that the answer is finished; its usage, or the end mark, does. */
class SparkReader implements ChunkReader {
  #isFinished = false;
  #hasCalls = false;
  #hasBegun = false;

  push(event: WireEvent): JsonObject[] {
    if (event.data.trim() === '[DONE]') return this.#finish();
    const body = payloadOf(event);
    if (body === undefined) return [];
    const error = readError(body);
    if (error !== undefined) {
      if (this.#hasBegun && isCutByFilter(error)) return this.#finish('content_filter');
      this.#isFinished = true;
      return [error];
    }
    this.#hasBegun = true;
    const chunk = fit(body);
    for (const choice of asObjects(chunk.choices)) {
      if (asList(asObject(choice.delta)?.tool_calls).length > 0) this.#hasCalls = true;
      if (asWord(choice.finish_reason) !== undefined) this.#isFinished = true;
    }
    return body.usage === undefined ? [chunk] : [chunk, ...this.#finish()];
  }

  #finish(word = this.#hasCalls ? 'tool_calls' : 'stop'): JsonObject[] {
    if (this.#isFinished || !this.#hasBegun) return [];
    this.#isFinished = true;
    return [chunkOf({}, {}, word)];
  }
}

export const xunfeiSpark = vendorChat({
  id: 'xunfei-spark',
  inlines: ['document', 'audio'],
  takes: [
    'temperature',
    'top_p',
    'top_k',
    'presence_penalty',
    'frequency_penalty',
    'max_tokens',
    'max_completion_tokens',
    'user',
    'response_format',
    'tools',
    'tool_choice',
    'thinking',
    'reasoning_effort',
    'suppress_plugin',
  ],
  reads: 'all',
  encode,
  answer: (body) => readError(body) ?? fit(body),
  reader: () => new SparkReader(),
});
