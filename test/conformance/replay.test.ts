/**
 * A tool loop of two turns through every pair of client dialect and upstream format: what the upstream signed in its
 * first answer has to come back to it in the second request, whatever the client speaks.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { replayAnswer } from '../../daemon/relay/canonical/replay.ts';
import type { ChatFormat, FormatId, WireEvent } from '../../daemon/relay/format.ts';
import { chatFormats } from '../../daemon/relay/formats/index.ts';
import { isObject, type Json, type JsonObject } from '../../daemon/relay/json.ts';
import { at, list, text } from '../support/checkers/answer.ts';
import { requestReaders } from '../support/checkers/requests.ts';
import { testScope } from './scope.ts';
import { encodeAll } from './translate.ts';

const test = suite('two-turn tool loops');

/** One dialect as an upstream: an answer that thinks and calls a tool, and what of it must come back. */
interface Upstream {
  readonly model: string;
  readonly answer: Json;
  /** Everything that proves the thought, found in a request; in order. */
  proofs(request: Json): Json[];
  readonly expected: Json[];
}

/** One dialect as a client: its first request, and the next one after an answer. */
interface Client {
  readonly first: JsonObject;
  next(answer: Json): JsonObject;
  /** The answer that the client's library makes of a stream. */
  collect(events: readonly WireEvent[]): Json;
}

const upstreams: Partial<Record<FormatId, Upstream>> = {
  'anthropic-messages': {
    model: 'claude-sonnet-4-5',
    answer: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'I should look.', signature: 'SIG==' },
        { type: 'redacted_thinking', data: 'HIDDEN==' },
        { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Paris' } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 5, output_tokens: 9 },
    },
    proofs: (request) =>
      list(at(request, 'messages'))
        .flatMap((message) => list(at(message, 'content')))
        .filter((block) => at(block, 'type') === 'thinking' || at(block, 'type') === 'redacted_thinking'),
    expected: [
      { type: 'thinking', thinking: 'I should look.', signature: 'SIG==' },
      { type: 'redacted_thinking', data: 'HIDDEN==' },
    ],
  },
  'openai-responses': {
    model: 'gpt-5.6',
    answer: {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      output: [
        {
          id: 'rs_1',
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 'I should look.' }],
          encrypted_content: 'ENC==',
        },
        { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Paris"}' },
      ],
      usage: { input_tokens: 5, output_tokens: 9, total_tokens: 14 },
    },
    proofs: (request) =>
      list(at(request, 'input')).flatMap((item) =>
        at(item, 'type') === 'reasoning' ? [at(item, 'encrypted_content') ?? null] : [],
      ),
    expected: ['ENC=='],
  },
  'gemini-generate': {
    model: 'gemini-3.1-pro-preview',
    answer: {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { text: 'I should look.', thought: true },
              { functionCall: { name: 'get_weather', args: { city: 'Paris' } }, thoughtSignature: 'R1NJRw==' },
            ],
          },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 9, totalTokenCount: 14 },
    },
    proofs: (request) =>
      list(at(request, 'contents'))
        .flatMap((content) => list(at(content, 'parts')))
        .flatMap((part) => (at(part, 'functionCall') === undefined ? [] : [at(part, 'thoughtSignature') ?? null])),
    expected: ['R1NJRw=='],
  },
};

const schema = { type: 'object', properties: { city: { type: 'string' } } };
const tool = { name: 'get_weather', description: 'Tells the weather' };

const clients: Partial<Record<FormatId, Client>> = {
  'openai-chat': {
    first: {
      messages: [{ role: 'user', content: 'Weather?' }],
      tools: [{ type: 'function', function: { ...tool, parameters: schema } }],
    },
    next(answer) {
      const message = at(answer, 'choices', 0, 'message');
      assert.ok(isObject(message));
      const id = text(at(message, 'tool_calls', 0, 'id'));
      const result = { role: 'tool', tool_call_id: id, content: 'sunny' };
      return { ...this.first, messages: [...list(this.first.messages), message, result] };
    },
    collect(events) {
      const message: JsonObject = { role: 'assistant', content: null };
      const calls: JsonObject[] = [];
      const blocks: Json[] = [];
      for (const { data } of events) {
        if (data === '[DONE]') continue;
        const delta = at(JSON.parse(data), 'choices', 0, 'delta');
        const thought = text(at(delta, 'reasoning_content'));
        if (thought !== '') message.reasoning_content = text(message.reasoning_content) + thought;
        blocks.push(...list(at(delta, 'thinking_blocks')));
        for (const entry of list(at(delta, 'tool_calls'))) {
          const index = Number(at(entry, 'index'));
          if (!isObject(entry)) continue;
          const known = calls[index];
          if (known === undefined) calls[index] = entry;
          else {
            const input = text(at(known, 'function', 'arguments')) + text(at(entry, 'function', 'arguments'));
            known.function = { name: text(at(known, 'function', 'name')), arguments: input };
          }
        }
      }
      if (calls.length > 0) message.tool_calls = calls;
      if (blocks.length > 0) message.thinking_blocks = blocks;
      return { choices: [{ message }] };
    },
  },
  'openai-responses': {
    first: {
      input: [{ type: 'message', role: 'user', content: 'Weather?' }],
      tools: [{ type: 'function', ...tool, parameters: schema }],
    },
    next(answer) {
      const output = list(at(answer, 'output'));
      const call = output.find((item) => at(item, 'type') === 'function_call');
      const result = { type: 'function_call_output', call_id: text(at(call, 'call_id')), output: 'sunny' };
      return { ...this.first, input: [...list(this.first.input), ...output, result] };
    },
    collect: (events) => at(JSON.parse(events.at(-1)?.data ?? 'null'), 'response') ?? null,
  },
  'anthropic-messages': {
    first: {
      max_tokens: 4096,
      messages: [{ role: 'user', content: 'Weather?' }],
      tools: [{ ...tool, input_schema: schema }],
    },
    next(answer) {
      const content = list(at(answer, 'content'));
      const call = content.find((block) => at(block, 'type') === 'tool_use');
      const result = { type: 'tool_result', tool_use_id: text(at(call, 'id')), content: 'sunny' };
      const turns = [
        { role: 'assistant', content },
        { role: 'user', content: [result] },
      ];
      return { ...this.first, messages: [...list(this.first.messages), ...turns] };
    },
    collect(events) {
      const content: JsonObject[] = [];
      for (const { data } of events) {
        const event: Json = JSON.parse(data);
        const opening = at(event, 'content_block');
        if (isObject(opening)) content.push({ ...opening });
        const block = content.at(-1);
        const delta = at(event, 'delta');
        if (block === undefined || delta === undefined) continue;
        if (at(delta, 'thinking') !== undefined) block.thinking = text(block.thinking) + text(at(delta, 'thinking'));
        if (at(delta, 'signature') !== undefined) block.signature = text(at(delta, 'signature'));
        const json = at(delta, 'partial_json');
        if (json !== undefined) block.input = JSON.parse(text(json));
      }
      return { content };
    },
  },
  'gemini-generate': {
    first: {
      contents: [{ role: 'user', parts: [{ text: 'Weather?' }] }],
      tools: [
        {
          functionDeclarations: [{ ...tool, parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } } } }],
        },
      ],
    },
    next(answer) {
      const content = at(answer, 'candidates', 0, 'content') ?? null;
      const call = list(at(content, 'parts')).find((part) => at(part, 'functionCall') !== undefined);
      const id = text(at(call, 'functionCall', 'id'));
      const result = { functionResponse: { id, name: 'get_weather', response: { output: 'sunny' } } };
      return {
        ...this.first,
        contents: [...list(this.first.contents), content, { role: 'user', parts: [result] }],
      };
    },
    collect(events) {
      const parts = events.flatMap(({ data }) => list(at(JSON.parse(data), 'candidates', 0, 'content', 'parts')));
      return { candidates: [{ content: { role: 'model', parts } }] };
    },
  },
};

function replays(client: Client, dialect: ChatFormat, upstream: Upstream, format: ChatFormat, shown: Json): void {
  const body = { model: upstream.model, ...client.next(shown) };
  const written = format.encodeRequest(dialect.decodeRequest(body), testScope());
  assert.equal(upstream.proofs(written), upstream.expected);
  const said = requestReaders[format.id]?.(written);
  assert.equal(said?.problems, []);
  assert.equal(said?.calls, [{ name: 'get_weather', input: '{"city":"Paris"}' }]);
  assert.is(said?.results, 'sunny');
}

for (const dialect of chatFormats) {
  for (const format of chatFormats) {
    const client = clients[dialect.id];
    const upstream = upstreams[format.id];
    if (client === undefined || upstream === undefined) continue;
    const request = dialect.decodeRequest({ model: upstream.model, ...client.first });
    const response = format.decodeResponse(upstream.answer, testScope());

    test(`${dialect.id} client returns what ${format.id} signed, from a whole answer`, () => {
      replays(client, dialect, upstream, format, dialect.encodeResponse(response, request, testScope()));
    });
    test(`${dialect.id} client returns what ${format.id} signed, from a stream`, () => {
      const events = encodeAll(dialect, request, replayAnswer(response));
      replays(client, dialect, upstream, format, client.collect(events));
    });
    test(`${dialect.id} client never sends ${format.id}'s seals to another vendor`, () => {
      const shown = dialect.encodeResponse(response, request, testScope());
      for (const other of chatFormats) {
        if (other === format) continue;
        const body = { model: upstreams[other.id]?.model ?? 'gpt-4o', ...client.next(shown) };
        const written = JSON.stringify(other.encodeRequest(dialect.decodeRequest(body), testScope()));
        // A chat upstream of a chat client is served natively, and keeps the client's own fields.
        if (other.id === 'openai-chat' && dialect.id === 'openai-chat') continue;
        assert.not.match(written, /SIG==|HIDDEN==|ENC==|R1NJRw==|dG9sbGdhdGU6/);
      }
    });
  }
}

test.run();
