/** Streams whose usage comes in several reports that leave out what others say, or with the error that ends them (relay.md 14.1). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { emptyUsage, mergeUsage, type Usage } from '../../../daemon/relay/canonical/usage.ts';
import { decodeStream as decodeMessages } from '../../../daemon/relay/formats/anthropic-messages/decode-stream.ts';
import { decodeStream as decodeGenerate } from '../../../daemon/relay/formats/gemini-generate/decode-stream.ts';
import { decodeStream as decodeChat } from '../../../daemon/relay/formats/openai-chat/decode-stream.ts';
import { decodeStream as decodeResponses } from '../../../daemon/relay/formats/openai-responses/decode-stream.ts';
import type { JsonObject } from '../../../daemon/relay/json.ts';
import type { StreamProfile } from '../../../daemon/relay/native-profile.ts';
import { chatProfile } from '../../../daemon/relay/native-profile-chat.ts';
import { generateProfile } from '../../../daemon/relay/native-profile-generate.ts';
import { messagesProfile } from '../../../daemon/relay/native-profile-messages.ts';
import { responsesProfile } from '../../../daemon/relay/native-profile-responses.ts';
import { NativeStream } from '../../../daemon/relay/native-stream.ts';
import { testScope } from '../../conformance/scope.ts';

const test = suite('usage reports');

type Dialect = 'messages' | 'generate' | 'responses' | 'chat';
const profiles: Readonly<Record<Dialect, StreamProfile>> = {
  messages: messagesProfile,
  generate: generateProfile,
  responses: responsesProfile,
  chat: chatProfile,
};
const decoders = {
  messages: decodeMessages,
  generate: decodeGenerate,
  responses: decodeResponses,
  chat: decodeChat,
};

function native(dialect: Dialect, events: readonly JsonObject[]): Usage | undefined {
  const options = {
    profile: profiles[dialect],
    hideUsage: true,
    model: 'm',
    renameModel: false,
    promptTokens: () => 0,
  };
  const stream = new NativeStream(options);
  for (const event of events) stream.push(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
  stream.end();
  return stream.usage();
}

function translated(dialect: Dialect, events: readonly JsonObject[]): Usage | undefined {
  const decoder = decoders[dialect](testScope());
  return events
    .flatMap((event) => decoder.push({ data: JSON.stringify(event) }))
    .reduce<Usage | undefined>(
      (sum, event) => (event.type === 'usage' ? mergeUsage(sum, event.usage) : sum),
      undefined,
    );
}

const claude = (first: JsonObject, last: JsonObject): JsonObject[] => [
  { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage: first } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'hello' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: last },
  { type: 'message_stop' },
];

const gemini = (first: JsonObject, last: JsonObject): JsonObject[] => [
  { candidates: [{ content: { role: 'model', parts: [{ text: 'a' }] } }], usageMetadata: first },
  { candidates: [{ content: { role: 'model', parts: [{ text: 'b' }] }, finishReason: 'STOP' }], usageMetadata: last },
];

const hour = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 500 };
const boom = { code: 'server_error', message: 'boom' };
const spent = { input_tokens: 100, output_tokens: 30, output_tokens_details: { reasoning_tokens: 28 } };
const cases: readonly (readonly [what: string, Dialect, events: readonly JsonObject[], Partial<Usage>])[] = [
  [
    'keeps what was read from and written to a cache where the last report names the fresh prompt alone',
    'messages',
    claude(
      { input_tokens: 1000, cache_creation_input_tokens: 500, cache_read_input_tokens: 2000, output_tokens: 1 },
      { input_tokens: 1000, output_tokens: 50 },
    ),
    { prompt: 3500, cached: 2000, cacheCreation5m: 500, completion: 50 },
  ],
  [
    'counts what is kept for an hour once where the last report does not say how long it is kept',
    'messages',
    claude(
      { input_tokens: 1000, cache_creation_input_tokens: 500, cache_creation: hour, output_tokens: 1 },
      { input_tokens: 1000, cache_creation_input_tokens: 500, cache_read_input_tokens: 0, output_tokens: 50 },
    ),
    { prompt: 1500, cacheCreation1h: 500, completion: 50 },
  ],
  [
    'keeps the hour where the last report has nothing but zeros for it',
    'messages',
    claude(
      { input_tokens: 1000, cache_creation_input_tokens: 500, cache_creation: hour, output_tokens: 1 },
      {
        cache_creation_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        output_tokens: 50,
      },
    ),
    { prompt: 1500, cacheCreation1h: 500, completion: 50 },
  ],
  [
    'counts what is kept for an hour once where only the last report says how long it is kept',
    'messages',
    claude(
      { input_tokens: 1000, cache_creation_input_tokens: 500, output_tokens: 1 },
      { cache_creation: hour, output_tokens: 50 },
    ),
    { prompt: 1500, cacheCreation1h: 500, completion: 50 },
  ],
  [
    'adds what the last report alone says of the cache to the prompt of the first',
    'messages',
    claude({ input_tokens: 1000, output_tokens: 1 }, { cache_read_input_tokens: 300, output_tokens: 50 }),
    { prompt: 1300, cached: 300, completion: 50 },
  ],
  [
    'counts thoughts that only an earlier report has',
    'generate',
    gemini(
      { promptTokenCount: 10, thoughtsTokenCount: 100, totalTokenCount: 110 },
      { promptTokenCount: 10, candidatesTokenCount: 50, totalTokenCount: 160 },
    ),
    { prompt: 10, completion: 150, reasoning: 100 },
  ],
  [
    'counts what tools read that only an earlier report has',
    'generate',
    gemini(
      { promptTokenCount: 10, toolUsePromptTokenCount: 200, totalTokenCount: 210 },
      { promptTokenCount: 10, candidatesTokenCount: 50, totalTokenCount: 260 },
    ),
    { prompt: 210, completion: 50 },
  ],
  [
    'counts what an answer that failed is told to have used',
    'responses',
    [
      { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
      { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'a' },
      { type: 'response.failed', response: { id: 'resp_1', status: 'failed', error: boom, output: [], usage: spent } },
    ],
    { prompt: 100, completion: 30, reasoning: 28 },
  ],
  [
    'counts what stands beside the error that ends a stream',
    'chat',
    [{ choices: [{ index: 0, delta: { content: 'a' } }] }, { error: boom, choices: [], usage: spent }],
    { prompt: 100, completion: 30, reasoning: 28 },
  ],
];

for (const [what, dialect, events, wanted] of cases) {
  test(`${what}, in both lanes of ${dialect}`, () => {
    const usage = { ...emptyUsage(), ...wanted };
    assert.equal(native(dialect, events), usage, 'native');
    assert.equal(translated(dialect, events), usage, 'translated');
  });
}

test.run();
