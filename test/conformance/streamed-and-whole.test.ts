/**
 * Whatever was recorded is told alike to clients that want a stream and to those that wait: what the vendors' own libraries
 * put together of the stream is what the whole answer says.
 */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatEvent, ChatRequest, ChatResponse } from '../../daemon/relay/canonical/chat.ts';
import { AnswerCollector } from '../../daemon/relay/canonical/collect.ts';
import { replayAnswer } from '../../daemon/relay/canonical/replay.ts';
import type { ChatFormat, FormatId, UpstreamFormat, WireEvent } from '../../daemon/relay/format.ts';
import { asObject, asObjects } from '../../daemon/relay/formats/fields.ts';
import { chatFormats, upstreamFormatOf } from '../../daemon/relay/formats/index.ts';
import { encodeSse } from '../../daemon/relay/framing/sse.ts';
import { isObject, type Json, type JsonObject } from '../../daemon/relay/json.ts';
import { at, canonicalInput, list, parse, text } from '../support/checkers/answer.ts';
import { frame, readResponse, readStream, recordedCases } from './cases.ts';
import { dialectOf } from './conversion-page.ts';
import { testScope } from './scope.ts';
import { anyRequest, encodeAll } from './translate.ts';

const test = suite('streamed and whole answers');

function answering(events: readonly WireEvent[]): typeof fetch {
  const body = Buffer.concat(events.map(encodeSse));
  return async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

function plain(value: unknown): JsonObject {
  return parse(JSON.stringify(value));
}

interface Gathered {
  message: JsonObject;
  calls: Map<Json | undefined, JsonObject>;
  finish: Json;
}

/** Puts a stream together as the clients of the dialect do. */
const readers: Readonly<Record<string, (events: readonly WireEvent[]) => Promise<JsonObject>>> = {
  // Its library loses members that it does not know: those are joined as clients that know them do.
  async 'openai-chat'(events) {
    const choices = new Map<Json | undefined, Gathered>();
    let usage: Json = null;
    let head: JsonObject = {};
    for (const { data } of events) {
      if (data === '[DONE]') continue;
      const chunk = parse(data);
      const { id = null, model = null } = chunk;
      head = { id, model };
      if (isObject(chunk.usage)) usage = chunk.usage;
      for (const choice of asObjects(chunk.choices)) {
        const found: Gathered = choices.get(choice.index) ?? { message: {}, calls: new Map(), finish: null };
        choices.set(choice.index, found);
        found.finish = choice.finish_reason ?? found.finish;
        const delta: JsonObject = asObject(choice.delta) ?? {};
        for (const [name, value] of Object.entries(delta)) {
          const before = found.message[name];
          if (name === 'tool_calls') {
            for (const call of asObjects(value)) {
              const known = found.calls.get(call.index);
              if (known === undefined) found.calls.set(call.index, call);
              else {
                const spoken = isObject(known.function) ? 'function' : 'custom';
                const [old, more] = [known[spoken], call[spoken]];
                if (!isObject(old) || !isObject(more)) continue;
                const member = spoken === 'function' ? 'arguments' : 'input';
                known[spoken] = { ...old, [member]: text(old[member]) + text(more[member]) };
              }
            }
          } else if (typeof value === 'string' && typeof before === 'string' && name !== 'role')
            found.message[name] = before + value;
          else if (Array.isArray(value) && Array.isArray(before)) found.message[name] = [...before, ...value];
          else if (isObject(value) && name === 'audio') {
            const sound: JsonObject = asObject(before) ?? {};
            const [transcript, data] = [
              text(sound.transcript) + text(value.transcript),
              text(sound.data) + text(value.data),
            ];
            found.message[name] = { ...sound, ...value, transcript, data };
          } else if (value !== undefined && value !== null) found.message[name] = value;
        }
      }
    }
    return {
      ...head,
      choices: [...choices].map(([index = 0, { message, calls, finish }]) => ({
        index,
        message: { ...message, ...(calls.size === 0 ? {} : { tool_calls: [...calls.values()] }) },
        finish_reason: finish,
      })),
      usage,
    };
  },
  async 'openai-responses'(events) {
    const client = new OpenAI({ apiKey: 'k', baseURL: 'http://localhost/v1', fetch: answering(events), maxRetries: 0 });
    const stream = client.responses.stream({ model: 'm', input: 'x' });
    return plain(await stream.finalResponse());
  },
  async 'anthropic-messages'(events) {
    const client = new Anthropic({ apiKey: 'k', baseURL: 'http://localhost', fetch: answering(events), maxRetries: 0 });
    return plain(
      await client.beta.messages
        .stream({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] })
        .finalMessage(),
    );
  },
  async 'gemini-generate'(events) {
    const candidates = new Map<Json | undefined, JsonObject>();
    let last: JsonObject = {};
    for (const { data } of events) {
      last = parse(data);
      for (const candidate of asObjects(last.candidates)) {
        const found = candidates.get(candidate.index) ?? { content: { role: 'model', parts: [] } };
        const parts = [...list(at(found, 'content', 'parts')), ...list(at(candidate, 'content', 'parts'))];
        candidates.set(candidate.index, { ...found, ...candidate, content: { role: 'model', parts } });
      }
    }
    return { ...last, candidates: [...candidates.values()] };
  },
};

/** What of an answer has to be the same: not where a text is cut, nor which number an item happened to get. */
const gists: Readonly<Record<string, (body: JsonObject) => Record<string, unknown>>> = {
  'openai-chat': ({ choices, usage, id, model }) => ({
    id,
    model,
    usage: usage ?? null,
    choices: asObjects(choices).map(({ index, message, finish_reason }) => {
      const { role: _, content, tool_calls, annotations, thinking_blocks, ...rest } = asObject(message) ?? {};
      return {
        index,
        finish_reason,
        content: content ?? '',
        calls: asObjects(tool_calls).map(callOf),
        // Streams number entries of lists for a library that joins them by their numbers.
        annotations: asObjects(annotations).map(({ index: _, ...source }) => source),
        thinking: joinedThoughts(asObjects(thinking_blocks)),
        ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null && value !== '')),
      };
    }),
  }),
  'openai-responses': ({ output, usage, status, incomplete_details, id, model }) => ({
    id,
    model,
    status,
    incomplete_details,
    usage,
    output: joinedItems(asObjects(output)),
  }),
  'anthropic-messages': ({ content, usage, stop_reason, stop_sequence, id, model }) => ({
    id,
    model,
    stop_reason,
    stop_sequence,
    usage: withoutKinds(usage),
    content: joinedParts(asObjects(content)).map(withoutHalf),
  }),
  'gemini-generate': ({ candidates, usageMetadata, modelVersion, responseId }) => ({
    modelVersion,
    responseId,
    usageMetadata,
    candidates: asObjects(candidates).map(({ content, index, ...rest }) => ({
      index: index ?? 0,
      ...rest,
      // Calls of a stream stand at its end.
      parts: joinedParts(
        asObjects(at(content, 'parts')).toSorted(
          (one, other) => Number(isObject(one.functionCall)) - Number(isObject(other.functionCall)),
        ),
      ),
    })),
  }),
};

function callOf({ index: _, ...call }: JsonObject): JsonObject {
  if (!isObject(call.function)) return call;
  return { ...call, function: { ...call.function, arguments: canonicalInput(text(call.function.arguments)) } };
}

function joinedThoughts(blocks: readonly JsonObject[]): unknown {
  return blocks.map(({ signature, data }) => signature ?? data).filter((seal) => seal !== undefined);
}

/** Without numbers of items and what the library adds, and one message where several follow each other. */
function joinedItems(items: readonly JsonObject[]): JsonObject[] {
  const joined: JsonObject[] = [];
  for (const { id: _, parsed_arguments: __, ...item } of items) {
    const last = joined.at(-1);
    if (item.type !== 'message') {
      joined.push(withPlainInput(item));
      continue;
    }
    const content = asObjects(item.content).map(({ parsed: ___, ...part }) => part);
    if (last?.type !== 'message') joined.push({ ...item, content });
    else joined[joined.length - 1] = { ...last, content: [...asObjects(last.content), ...content] };
  }
  return joined.map((item) =>
    item.type === 'message' ? { ...item, content: joinedTexts(asObjects(item.content)) } : item,
  );
}

function withPlainInput(item: JsonObject): JsonObject {
  if (typeof item.arguments === 'string') return { ...item, arguments: canonicalInput(item.arguments) };
  if (!Array.isArray(item.summary)) return item;
  return { ...item, summary: item.summary.filter((part) => at(part, 'text') !== '') };
}

function joinedTexts(parts: readonly JsonObject[]): JsonObject[] {
  const joined: JsonObject[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last?.type !== 'output_text' || part.type !== 'output_text') joined.push(part);
    else {
      joined[joined.length - 1] = {
        ...last,
        text: text(last.text) + text(part.text),
        annotations: [
          ...list(last.annotations),
          ...asObjects(part.annotations).map((source) => shifted(source, text(last.text).length)),
        ],
        logprobs: [...list(last.logprobs), ...list(part.logprobs)],
      };
    }
  }
  return joined;
}

function shifted(source: JsonObject, by: number): JsonObject {
  const { start_index: start, end_index: end } = source;
  if (typeof start !== 'number' || typeof end !== 'number') return source;
  return { ...source, start_index: start + by, end_index: end + by };
}

/** How long what is written to the cache is kept, and the tier, are told at the start of a stream alone, or at its end. */
function withoutKinds(usage: Json | undefined): JsonObject {
  const { cache_creation: _, service_tier: __, ...rest } = asObject(usage) ?? {};
  return rest;
}

/** Of arguments that the model did not finish each library makes something of its own. */
function withoutHalf(block: JsonObject): JsonObject {
  const { input } = block;
  return isObject(input) && (input._raw !== undefined || Object.keys(input).length === 0)
    ? { ...block, input: null }
    : block;
}

function joinedParts(parts: readonly JsonObject[]): JsonObject[] {
  const joined: JsonObject[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const sealed = last?.thoughtSignature ?? last?.citations ?? part.citations;
    const fits = last !== undefined && sealed === undefined && last.thought === part.thought;
    if (fits && typeof last.text === 'string' && typeof part.text === 'string')
      joined[joined.length - 1] = { ...last, ...part, text: last.text + part.text };
    else joined.push(part);
  }
  return joined;
}

function asked(client: ChatFormat, stream: boolean): ChatRequest {
  return { ...anyRequest, dialect: dialectOf(client), stream };
}

interface Told {
  readonly events: readonly ChatEvent[];
  readonly whole: ChatResponse;
}

function toldBy(format: UpstreamFormat, one: ReturnType<typeof recordedCases>[number]): Told | undefined {
  const bytes = readStream(one);
  if (bytes !== undefined) {
    const machine = format.decodeStream(testScope());
    const events = [...frame(bytes, bytes.length).flatMap((event) => machine.push(event)), ...machine.end()];
    const collector = new AnswerCollector();
    for (const event of events) collector.push(event);
    return { events, whole: collector.result() };
  }
  const body = readResponse(one);
  if (!isObject(body)) return undefined;
  const whole = format.decodeResponse(body, testScope());
  return { events: replayAnswer(whole), whole };
}

/** What an upstream did not tell, each way makes up for itself. */
function known({ id, usage }: ChatResponse, { id: client }: ChatFormat): JsonObject {
  return {
    ...(id === undefined ? { [client === 'gemini-generate' ? 'responseId' : 'id']: null } : {}),
    ...(usage === undefined ? { [client === 'gemini-generate' ? 'usageMetadata' : 'usage']: null } : {}),
  };
}

for (const one of recordedCases()) {
  const format = upstreamFormatOf(one.format as FormatId);
  if (format === undefined || one.status >= 400) continue;
  for (const client of chatFormats) {
    test(`${one.name} is told alike to ${client.id} clients that wait`, async () => {
      const told = toldBy(format, one);
      if (told === undefined || told.whole.error !== undefined || told.whole.choices.length === 0) return;
      const gist = (answer: JsonObject) => ({ ...gists[client.id]?.(answer), ...known(told.whole, client) });
      const body = client.encodeResponse(told.whole, asked(client, false), testScope());
      const streamed = await readers[client.id]?.(encodeAll(client, asked(client, true), told.events));
      assert.ok(streamed);
      assert.equal(gist(streamed), gist(plain(body)));
    });
  }
}

test.run();
