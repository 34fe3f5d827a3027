/** Realtime dialects: whatever either end says, in whatever order, they have something to tell and never break. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../../../daemon/errors.ts';
import { sayable } from '../../../../daemon/gateway/sayable.ts';
import { isObject, type Json, type JsonObject } from '../../../../daemon/relay/json.ts';
import { ali } from '../../../../daemon/relay/providers/ali/index.ts';
import { zhipuV4 } from '../../../../daemon/relay/providers/zhipu-v4/index.ts';
import { mannerOf } from '../../../../daemon/relay/realtime/realtime-dialect.ts';

const test = suite('realtime dialects');

const providers = { 'glm-realtime-air': zhipuV4, 'qwen3-omni-flash-realtime': ali } as const;

const audio = { input: { format: { type: 'audio/pcm', rate: 24_000 }, turn_detection: null }, output: { voice: 'x' } };
const tools = [{ type: 'function', name: 'f', parameters: {} }];
const item = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a' }] };
const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0]).toString('base64');
const picture = { type: 'input_image', image_url: `data:image/jpeg;base64,${jpeg}` };
const asked: readonly JsonObject[] = [
  { type: 'session.update', session: { type: 'realtime', audio, tools, output_modalities: ['text'] } },
  { type: 'session.update', session: { input_audio_format: 'pcm16', turn_detection: { type: 'server_vad' }, tools } },
  { type: 'session.update', session: { beta_fields: { chat_mode: 'audio' } } },
  { type: 'conversation.item.create', item },
  {
    type: 'conversation.item.create',
    item: { type: 'message', content: [picture, { type: 'input_text', text: 'a' }] },
  },
  { type: 'conversation.item.create', item: { type: 'message', content: [picture] } },
  { type: 'input_audio_buffer.append_video_frame', video_frame: jpeg },
  { type: 'input_audio_buffer.append', audio: 'AAAA' },
  { type: 'input_audio_buffer.clear' },
  { type: 'response.create', response: {} },
];
const session = {
  id: 's',
  model: 'm',
  input_audio_format: 'pcm24',
  modalities: ['text'],
  turn_detection: { type: 'client_vad' },
};
const response = {
  id: 'r',
  status: 'completed',
  output: [item],
  modalities: ['text'],
  usage: { input_tokens: 1, input_tokens_details: { text_tokens: 1 } },
};
const told: readonly JsonObject[] = [
  { type: 'session.created', session },
  { type: 'conversation.item.created', item },
  { type: 'response.audio.delta', delta: 'AAAA' },
  { type: 'response.function_call_arguments.done', arguments: '{}' },
  { type: 'response.output_item.done', item },
  { type: 'response.done', response },
  { type: 'response.done', response: { id: 'r' }, usage: {} },
];

/** The value with every part replaced by others of the wrong type, one at a time. */
function* broken(value: Json): Generator<Json> {
  for (const wrong of [null, 7, -1.5, 'x', '', [], {}, true]) yield wrong;
  if (Array.isArray(value)) {
    for (const [at, entry] of value.entries()) for (const bad of broken(entry)) yield value.with(at, bad);
  } else if (isObject(value)) {
    for (const [name, entry] of Object.entries(value)) for (const bad of broken(entry)) yield { ...value, [name]: bad };
  }
}

const events = [...asked, ...told].flatMap((event) => [...broken(event)].filter(isObject));

for (const [model, provider] of Object.entries(providers)) {
  for (const manner of ['beta', undefined] as const) {
    const client = manner ?? 'that has not said how it speaks';
    test(`any event is told on by ${provider.id}, or refused by name, to a client ${client}`, () => {
      for (const before of [[], asked.slice(0, 1), asked.slice(1, 2), asked.slice(2, 3), asked.slice(5, 6)]) {
        for (const event of events) {
          const dialect = provider.realtimeDialect?.({ model, manner, lose: () => {} });
          assert.ok(dialect);
          for (const earlier of before) dialect.fromClient(earlier);
          const told = sayable(() => dialect.fromClient(event));
          for (const said of told instanceof TollgateError ? [] : told.upstream) assert.ok(isObject(said));
          for (const heard of dialect.fromServer(event)) assert.ok(isObject(heard));
        }
      }
    });
  }
}

test('how a client speaks is read from its upgrade', () => {
  const cases: readonly (readonly [headers: Record<string, string>, manner: string | undefined])[] = [
    [{ 'openai-beta': 'realtime=v1' }, 'beta'],
    [{ 'openai-beta': 'assistants=v2, realtime=v1' }, 'beta'],
    [{ 'sec-websocket-protocol': 'realtime, openai-beta.realtime-v1' }, 'beta'],
    [{ 'openai-beta': 'assistants=v2' }, undefined],
    [{}, undefined],
  ];
  for (const [headers, manner] of cases) assert.is(mannerOf(headers), manner);
});

test.run();
