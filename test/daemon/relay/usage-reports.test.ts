/** Streams whose usage comes in several reports, of which the later ones leave out what the earlier ones said (relay.md 14.1). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { emptyUsage, mergeUsage, type Usage } from '../../../daemon/relay/canonical/usage.ts';
import { decodeStream as decodeMessages } from '../../../daemon/relay/formats/anthropic-messages/decode-stream.ts';
import { decodeStream as decodeGenerate } from '../../../daemon/relay/formats/gemini-generate/decode-stream.ts';
import type { JsonObject } from '../../../daemon/relay/json.ts';
import type { StreamProfile } from '../../../daemon/relay/native-profile.ts';
import { generateProfile } from '../../../daemon/relay/native-profile-generate.ts';
import { messagesProfile } from '../../../daemon/relay/native-profile-messages.ts';
import { NativeStream } from '../../../daemon/relay/native-stream.ts';
import { testScope } from '../../conformance/scope.ts';

const test = suite('usage reports');

type Dialect = 'messages' | 'generate';
const profiles: Readonly<Record<Dialect, StreamProfile>> = { messages: messagesProfile, generate: generateProfile };

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
  const decoder = (dialect === 'messages' ? decodeMessages : decodeGenerate)(testScope());
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
];

for (const [what, dialect, events, wanted] of cases) {
  test(`${what}, in both lanes of ${dialect}`, () => {
    const usage = { ...emptyUsage(), ...wanted };
    assert.equal(native(dialect, events), usage, 'native');
    assert.equal(translated(dialect, events), usage, 'translated');
  });
}

test.run();
