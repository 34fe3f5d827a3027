/**
 * Qwen's realtime sessions, for clients of OpenAI's official manner, of its beta and of Qwen's own, and billed by the
 * vendor's report (relay.md 5.13). Events are as the vendor's references show them, read 2026-11.
 */
import { once } from 'node:events';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { asObject } from '../../daemon/relay/formats/fields.ts';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { eachInRealtimeWorld, hangUp, next, openSession, type RealtimeWorld } from '../support/realtime-world.ts';
import { startRefusingProxy } from '../support/refusing-proxy.ts';
import { until } from '../support/until.ts';

const model = 'qwen3-omni-flash-realtime';
const translator = 'qwen3-livetranslate-flash-realtime';
const hearer = 'qwen-audio-3.1-realtime-plus';
const newest = 'qwen3.8-omni-flash-realtime';
const models = [model, translator, hearer, newest, 'qwen3.5-omni-plus-realtime', 'qwen3-tts-flash-realtime'];

const test = suite<RealtimeWorld>('relay: Qwen’s realtime sessions');
eachInRealtimeWorld(test, {
  type: 17,
  models,
  key: 'sk-ali',
  path: '/compatible-mode/v1',
});

const details = {
  input_tokens_details: { text_tokens: 236, audio_tokens: 100 },
  output_tokens_details: { text_tokens: 9, audio_tokens: 32 },
};
const sums = { total_tokens: 377, input_tokens: 336, output_tokens: 41 };
const response = {
  id: 'resp_1',
  object: 'realtime.response',
  status: 'completed',
  modalities: ['text', 'audio'],
  output: [],
};
const done = { event_id: 'event_1', type: 'response.done', response: { ...response, usage: { ...sums, ...details } } };
const created: JsonObject = {
  event_id: 'event_0',
  type: 'session.created',
  session: {
    id: 'sess_1',
    object: 'realtime.session',
    model,
    modalities: ['text', 'audio'],
    voice: 'Cherry',
    input_audio_format: 'pcm',
    output_audio_format: 'pcm',
    turn_detection: { type: 'server_vad', threshold: 0.5 },
    tools: [],
    max_tokens: 16_384,
  },
};
/** Three hundredths of a second at 24 kHz. */
const sound = Buffer.alloc(1440, 1).toString('base64');
const append = { type: 'input_audio_buffer.append', audio: sound };
const bytesOf = ({ audio }: JsonObject) => Buffer.from(String(audio), 'base64').length;

test('a session stands at the vendor’s address, is offered no subprotocol, and costs what its turns report', async (world) => {
  const { client, upstream } = await openSession(world, model);
  assert.is(upstream.request.url, `/api-ws/v1/realtime?model=${model}`);
  assert.is(upstream.request.headers.authorization, 'Bearer sk-ali');
  assert.is(upstream.request.headers['sec-websocket-protocol'], undefined);
  assert.is(client.socket.protocol, 'realtime');
  upstream.say(done);
  assert.equal(await next(client.heard, 0), done);
  const row = await hangUp(world, client);
  // 236 + 2 × 100 in, 9 + 2 × 32 out.
  assert.equal([row.promptTokens, row.completionTokens, row.quota], [336, 41, 509]);
});

test('a workspace’s own host is asked where the channel names a workspace, but for an address of the operator’s own', async (world) => {
  const { harness, server } = world;
  const proxy = await startRefusingProxy();
  const setting = { dashscope_workspace: 'llm-1a2b', proxy: proxy.url };
  const channel = { id: 1, type: 17, models: newest, keys: ['sk-ali'] };
  try {
    harness.setChannels([{ ...channel, baseUrl: 'https://dashscope.aliyuncs.com', setting: JSON.stringify(setting) }]);
    const refused = new WebSocket(`${harness.url.replace('http', 'ws')}/v1/realtime?model=${newest}`, ['realtime'], {
      headers: { authorization: `Bearer sk-${harness.key}` },
    });
    await once(refused, 'error');
    assert.equal([...new Set(proxy.asked)], ['llm-1a2b.cn-beijing.maas.aliyuncs.com:443']);
  } finally {
    proxy.close();
  }
  const own = JSON.stringify({ dashscope_workspace: 'llm-1a2b' });
  harness.setChannels([{ ...channel, baseUrl: server.url, setting: own }]);
  const { client, upstream } = await openSession(world, newest);
  assert.is(upstream.request.url, `/api-ws/v1/realtime?model=${newest}`);
  client.say({
    type: 'session.update',
    session: { type: 'realtime', audio: { input: { turn_detection: { type: 'semantic_vad' } } } },
  });
  assert.equal((await next(upstream.heard, 0)).session, { turn_detection: { type: 'semantic_vad' } });
});

test('an answer beside the conversation is refused, which Qwen would make a part of it', async (world) => {
  const { client, upstream } = await openSession(world, model);
  client.say({ type: 'session.update', session: { type: 'realtime' } });
  await next(upstream.heard, 0);
  for (const [index, wishes] of [{ conversation: 'none' }, { input: [] }].entries()) {
    client.say({ type: 'response.create', response: wishes });
    assert.match(JSON.stringify(await next(client.heard, index)), '"code":"convert_request_failed"');
  }
  assert.is(upstream.heard.length, 1);
});

test('what is wished of one answer alone, for which Qwen has no words, is named in the row', async (world) => {
  const { client, upstream } = await openSession(world, model);
  client.say({ type: 'session.update', session: { type: 'realtime' } });
  const wishes = { instructions: 'Be brief.', output_modalities: ['text'], conversation: 'auto', own: 1 };
  client.say({ type: 'response.create', response: wishes });
  assert.equal(await next(upstream.heard, 1), { type: 'response.create' });
  upstream.say(done);
  await next(client.heard, 0);
  const row = await hangUp(world, client);
  assert.match(JSON.stringify(row), '["response.instructions","response.output_modalities"]');
});

test('what a session was to be, for which Qwen has no words, is named in the row', async (world) => {
  const { client, upstream } = await openSession(world, model);
  const turn_detection = { type: 'server_vad', threshold: 0.5, create_response: false, interrupt_response: true };
  const input = { turn_detection, noise_reduction: { type: 'near_field' }, transcription: { model: 'w', prompt: 'p' } };
  const audio = { input, output: { voice: 'marin', speed: 1 } };
  client.say({
    type: 'session.update',
    session: { type: 'realtime', audio, tool_choice: 'required', tools: [], own: 1 },
  });
  await next(upstream.heard, 0);
  upstream.say(done);
  await next(client.heard, 0);
  const lost = [
    'session.audio.input.noise_reduction',
    'session.audio.output.voice',
    'session.tool_choice',
    'session.audio.input.transcription.prompt',
    'session.audio.input.turn_detection.create_response',
  ];
  assert.match(JSON.stringify(await hangUp(world, client)), JSON.stringify(lost));
});

test('a client of Qwen’s own is told everything as it is', async (world) => {
  const { client, upstream } = await openSession(world, model);
  const update = { type: 'session.update', session: { modalities: ['text'], input_audio_format: 'pcm16', tools: [] } };
  const image = { type: 'input_image_buffer.append', image: 'AAAA' };
  for (const [index, event] of [update, append, image].entries()) {
    client.say(event);
    assert.equal(await next(upstream.heard, index), event);
  }
  for (const event of [created, done]) upstream.say(event);
  await until(() => client.heard.length === 2);
  assert.equal(client.heard, [created, done]);
});

test('a client of the official manner is understood both ways, and its sound is brought to what the model hears', async (world) => {
  const { client, upstream } = await openSession(world, model);
  upstream.say(created);
  const official = {
    type: 'realtime',
    object: 'realtime.session',
    id: 'sess_1',
    model,
    output_modalities: ['audio'],
    tools: [],
    max_output_tokens: 16_384,
    audio: {
      input: { format: { type: 'audio/pcm', rate: 24_000 }, turn_detection: { type: 'server_vad', threshold: 0.5 } },
      output: { format: { type: 'audio/pcm', rate: 24_000 }, voice: 'Cherry' },
    },
  };
  // Nobody knows yet who listens: the session is there in either manner.
  const first = asObject((await next(client.heard, 0)).session);
  assert.equal({ ...first, ...official }, first);
  assert.equal(first?.modalities, ['text', 'audio']);
  const tool = { type: 'function', name: 'look_up', description: 'looks', parameters: { type: 'object' } };
  client.say({
    event_id: 'mine',
    type: 'session.update',
    session: {
      type: 'realtime',
      model,
      instructions: 'be kind',
      output_modalities: ['audio'],
      audio: {
        input: {
          format: { type: 'audio/pcm', rate: 24_000 },
          turn_detection: { type: 'semantic_vad', eagerness: 'high' },
          transcription: { model: 'gpt-4o-transcribe', language: 'en' },
        },
        output: { voice: 'marin' },
      },
      tools: [tool],
      max_output_tokens: 512,
    },
  });
  const { type, ...own } = tool;
  assert.equal(await next(upstream.heard, 0), {
    event_id: 'mine',
    type: 'session.update',
    session: {
      instructions: 'be kind',
      modalities: ['text', 'audio'],
      turn_detection: { type: 'server_vad' },
      tools: [{ type, function: own }],
      max_tokens: 512,
      input_audio_transcription: { language: 'en' },
    },
  });
  upstream.say({ ...created, type: 'session.updated' });
  assert.equal((await next(client.heard, 1)).session, official);
  const picture = { type: 'input_image', image_url: 'data:image/jpeg;base64,/9j/4AAQ' };
  client.say({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content: [picture] } });
  assert.is((await next(client.heard, 2)).type, 'conversation.item.added');
  client.say(append);
  client.say(append);
  await until(() => upstream.heard.length === 4);
  const heard = upstream.heard.slice(1);
  assert.equal(
    heard.map((event) => event.type),
    ['input_audio_buffer.append', 'input_image_buffer.append', 'input_audio_buffer.append'],
  );
  assert.is(heard[1]?.image, '/9j/4AAQ');
  // Two samples for three, but for those that wait for what comes after them.
  assert.ok(Math.abs((heard[0] === undefined ? 0 : bytesOf(heard[0])) - 960) <= 24);
  assert.is(heard[2] && bytesOf(heard[2]), 960);
  client.say({ type: 'response.create', response: { output_modalities: ['audio'] } });
  assert.equal(await next(upstream.heard, 4), { type: 'response.create' });
  upstream.say(
    { type: 'response.audio_transcript.delta', response_id: 'resp_1', item_id: 'i', output_index: 0, delta: 'Hi' },
    done,
  );
  await until(() => client.heard.at(-1)?.type === 'response.done');
  assert.is(client.heard.at(-2)?.type, 'response.output_audio_transcript.delta');
  const { modalities, ...rest } = response;
  assert.equal(client.heard.at(-1)?.response, {
    ...rest,
    output_modalities: modalities,
    usage: {
      ...sums,
      input_token_details: details.input_tokens_details,
      output_token_details: details.output_tokens_details,
    },
  });
  const row = await hangUp(world, client);
  assert.equal([row.promptTokens, row.completionTokens, row.quota], [336, 41, 509]);
});

test('a PNG file is shown as JPEG, but not for clients of Qwen’s own', async (world) => {
  const own = await openSession(world, model);
  const file = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'green' } })
    .png()
    .toBuffer();
  const content = [{ type: 'input_image', image_url: `data:image/png;base64,${file.toString('base64')}` }];
  const shown = { type: 'conversation.item.create', item: { type: 'message', role: 'user', content } };
  own.client.say(shown);
  assert.equal(await next(own.upstream.heard, 0), shown);
  const { client, upstream } = await openSession(world, model, { 'openai-beta': 'realtime=v1' });
  for (const event of [append, shown, append]) client.say(event);
  await until(() => upstream.heard.length === 3);
  const [, picture, last] = upstream.heard;
  assert.equal([picture?.type, last?.type], ['input_image_buffer.append', append.type]);
  assert.is((await sharp(Buffer.from(String(picture?.image), 'base64')).metadata()).format, 'jpeg');
});

test('a client of the beta says so in its upgrade, and hears its own words', async (world) => {
  const { client, upstream } = await openSession(world, 'qwen3.5-omni-plus-realtime', { 'openai-beta': 'realtime=v1' });
  upstream.say({ ...created, session: { model: 'qwen3.5-omni-plus-realtime', modalities: ['text'], max_tokens: 9 } });
  assert.equal((await next(client.heard, 0)).session, {
    model: 'qwen3.5-omni-plus-realtime',
    modalities: ['text'],
    input_audio_format: 'pcm16',
    output_audio_format: 'pcm16',
    max_response_output_tokens: 9,
  });
  const turn_detection = { type: 'semantic_vad', silence_duration_ms: 700 };
  const session = { input_audio_format: 'pcm16', voice: 'Ethan', temperature: 2, turn_detection, modalities: ['text'] };
  client.say({ type: 'session.update', session });
  assert.equal((await next(upstream.heard, 0)).session, {
    modalities: ['text'],
    voice: 'Ethan',
    temperature: 1.99,
    turn_detection,
  });
  client.say({ type: 'session.update', session: { turn_detection: null } });
  assert.equal((await next(upstream.heard, 1)).session, { turn_detection: null });
  client.say(append);
  assert.ok(bytesOf(await next(upstream.heard, 2)) < 960);
  client.say({ type: 'conversation.item.truncate', item_id: 'x', content_index: 0, audio_end_ms: 1 });
  client.say({ type: 'input_audio_buffer.commit' });
  assert.equal(await next(upstream.heard, 3), { type: 'input_audio_buffer.commit' });
  upstream.say({ type: 'response.audio.delta', delta: 'AAAA' });
  assert.equal(await next(client.heard, 1), { type: 'response.audio.delta', delta: 'AAAA' });
});

test('a translator is told the language in either manner, and costs what it reports', async (world) => {
  const first = await openSession(world, translator);
  assert.is(first.upstream.request.url, `/api-ws/v1/realtime?model=${translator}`);
  const own = { type: 'session.update', session: { modalities: ['text', 'audio'], translation: { language: 'en' } } };
  first.client.say(own);
  assert.equal(await next(first.upstream.heard, 0), own);
  const text = { type: 'response.audio_transcript.text', response_id: 'r', text: 'Hel', stash: 'lo' };
  first.upstream.say(text, done);
  await until(() => first.client.heard.length === 2);
  assert.equal(first.client.heard, [text, done]);
  assert.is((await hangUp(world, first.client)).quota, 509);
  const { client, upstream } = await openSession(world, translator);
  const audio = { output: { language: 'ja', voice: 'marin' }, input: { transcription: { language: 'en' } } };
  client.say({ type: 'session.update', session: { type: 'realtime', audio } });
  assert.equal((await next(upstream.heard, 0)).session, {
    translation: { language: 'ja' },
    input_audio_transcription: { language: 'en' },
  });
});

test('Qwen-Audio is told what it knows in its own words, and is shown nothing', async (world) => {
  const { client, upstream } = await openSession(world, hearer);
  assert.is(upstream.request.url, `/api-ws/v1/realtime?model=${hearer}`);
  upstream.say(created);
  await next(client.heard, 0);
  const detect = (turn_detection: JsonObject | null) => ({
    type: 'session.update',
    session: { type: 'realtime', audio: { input: { turn_detection } } },
  });
  const { type, ...own } = { type: 'function', name: 'look_up', description: 'looks', parameters: { type: 'object' } };
  const transcription = { language: 'en' };
  client.say({
    type: 'session.update',
    session: {
      type: 'realtime',
      instructions: 'be kind',
      output_modalities: ['audio'],
      audio: {
        input: { transcription, turn_detection: { type: 'semantic_vad', eagerness: 'high' } },
        output: { voice: 'longanqian' },
      },
      tools: [{ type, ...own }],
      max_output_tokens: 512,
    },
  });
  assert.equal((await next(upstream.heard, 0)).session, {
    instructions: 'be kind',
    modalities: ['text', 'audio'],
    voice: 'longanqian',
    turn_detection: { type: 'smart_turn' },
    tools: [{ type, function: own }],
  });
  const { threshold, silence_duration_ms } = { threshold: 0.5, silence_duration_ms: 800 };
  const vad = { type: 'server_vad', threshold, silence_duration_ms };
  const cases = [
    [{ ...vad, prefix_padding_ms: 300 }, vad],
    [{ type: 'smart_turn_v2' }, { type: 'smart_turn_v2' }],
    [null, null],
  ] as const;
  for (const [index, [asked, told]] of cases.entries()) {
    client.say(detect(asked));
    assert.equal((await next(upstream.heard, index + 1)).session, { turn_detection: told });
  }
  const text = { type: 'input_text', text: 'hello' };
  const item = { type: 'message', role: 'user', content: [text] };
  const picture = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' };
  client.say({ type: 'conversation.item.create', item: { ...item, content: [picture] } });
  assert.is(asObject((await next(client.heard, 1)).error)?.param, 'item.content');
  client.say({ type: 'conversation.item.create', item });
  assert.equal(asObject((await next(upstream.heard, 4)).item)?.content, [text]);
  client.say(append);
  assert.ok(bytesOf(await next(upstream.heard, 5)) < 960);
  upstream.say(done);
  await until(() => client.heard.at(-1)?.type === 'response.done');
  const row = await hangUp(world, client);
  assert.equal([row.promptTokens, row.completionTokens, row.quota], [336, 41, 509]);
});

test('what Qwen cannot hear is told in the caller’s language, and what it hears already goes on as it is', async (world) => {
  const { client, upstream } = await openSession(world, model, { 'accept-language': 'zh' });
  const heard = (format: JsonObject) => ({
    type: 'session.update',
    session: { type: 'realtime', audio: { input: { format } } },
  });
  client.say(heard({ type: 'audio/pcmu' }));
  const error = asObject((await next(client.heard, 0)).error);
  assert.is(error?.param, 'session.audio.input.format');
  assert.match(String(error?.message), '此模型只能识别 16 或 24 kHz 的 PCM');
  client.say(heard({ type: 'audio/pcm', rate: 16_000 }));
  client.say(append);
  assert.equal(await next(upstream.heard, 1), append);
  upstream.say({ ...created, type: 'session.updated' });
  const told = asObject(asObject((await next(client.heard, 1)).session)?.audio);
  assert.equal(asObject(told?.input)?.format, { type: 'audio/pcm', rate: 16_000 });
  assert.equal(asObject(told?.output)?.format, { type: 'audio/pcm', rate: 24_000 });
});

test.run();
