/**
 * The calls that are no conversations, through a whole daemon: its own configuration, its own composition. Runs once: it
 * looks at what goes over the wire.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import OpenAI, { toFile } from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket, WebSocketServer } from 'ws';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, startFakeUpstream } from '../support/fake-upstream.ts';
import { recordedAnswer } from '../support/recorded-call.ts';
import * as sounds from '../support/sound-files.ts';
import { untilThere } from '../support/until.ts';

interface Context {
  upstream: FakeUpstream;
  daemon: TestDaemon;
  client: OpenAI;
}

const test = suite<Context>('relay: surfaces of a whole daemon');

test.before(async (context) => {
  context.upstream = await startFakeUpstream();
  context.daemon = await startTestDaemon({
    config: { 'relay.max_audio_upload_mb': 1, 'relay.count_tokens_rate_limit': 1 },
  });
  const { daemon, upstream } = context;
  const models = 'gpt-image-1-mini,tts-1,whisper-1,text-embedding-3-small,omni-moderation-latest';
  await daemon.addChannel({ base_url: upstream.url, models });
  await daemon.addChannel({ type: 38, base_url: upstream.url, models: 'jina-reranker-m0' });
  context.client = new OpenAI({ apiKey: await daemon.addKey(), baseURL: `${daemon.url}/v1`, maxRetries: 0 });
});
test.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

test('serves every surface of the official SDK and writes a row for each', async ({ client, upstream, daemon }) => {
  upstream.script(({ url }) => {
    if (url.includes('/images/')) return recordedAnswer('openai/oa-images-generations--image-generation-basic');
    if (url.endsWith('/speech')) return recordedAnswer('openai/oa-audio-speech--default-body-returns-mp3');
    if (url.endsWith('/embeddings'))
      return recordedAnswer('openai/oa-embeddings--client-createembeddingwithdimensions');
    if (url.endsWith('/moderations'))
      return recordedAnswer('openai/oa-moderations--moderation-moderate-with-openai-provider-moderates-text');
    if (url.endsWith('/rerank')) return recordedAnswer('llamacpp/jina-rerank--multiple-documents');
    return recordedAnswer('openai/oa-audio-transcriptions--transcription-basic-functionality-openai-whisper-1-can-t');
  });
  const image = await client.images.generate({
    model: 'gpt-image-1-mini',
    prompt: 'a cat',
    size: '1024x1024',
    quality: 'low',
  });
  assert.is(image.data?.length, 1);
  const file = await toFile(sounds.wav(2), 'a.wav', { type: 'audio/wav' });
  assert.ok((await client.audio.transcriptions.create({ model: 'whisper-1', file })).text);
  assert.ok(
    (await (await client.audio.speech.create({ model: 'tts-1', voice: 'ash', input: 'hi' })).arrayBuffer()).byteLength >
      0,
  );
  assert.ok((await client.moderations.create({ input: 'words' })).results.length > 0);
  assert.ok(
    (await client.embeddings.create({ model: 'text-embedding-3-small', input: 'a', encoding_format: 'float' })).data
      .length > 0,
  );
  const ranked = await client.post('/rerank', {
    body: { model: 'jina-reranker-m0', query: 'q', documents: ['a', 'b', 'c'] },
  });
  assert.ok(JSON.stringify(ranked).includes('relevance_score'));
  const expected = [
    'gpt-image-1-mini',
    'jina-reranker-m0',
    'omni-moderation-latest',
    'text-embedding-3-small',
    'tts-1',
    'whisper-1',
  ];
  const rows = await untilThere(async () => {
    const { items } = await daemon.root.logs.list({ type: 2 });
    return items.length < expected.length ? undefined : items;
  });
  assert.equal(rows.map((row) => row.model_name).sort(), expected);
  // One image of low quality at the table's 0.005 USD; four seconds reported at ratio 3; two characters at ratio 7.5.
  const quota = new Map(rows.map((row) => [row.model_name, row.quota]));
  assert.equal([quota.get('gpt-image-1-mini'), quota.get('whisper-1'), quota.get('tts-1')], [2500, 201, 15]);
});

test('obeys the limits of its configuration', async ({ client, daemon }) => {
  const large = await toFile(sounds.wav(80), 'a.wav', { type: 'audio/wav' });
  const refused = await client.audio.transcriptions.create({ model: 'whisper-1', file: large }).catch((error) => error);
  assert.is(refused.status, 413);
  const count = () =>
    fetch(`${daemon.url}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': String(client.apiKey) },
      body: JSON.stringify({ model: 'whisper-1', messages: [{ role: 'user', content: 'hi' }] }),
    });
  assert.is((await count()).status, 200);
  assert.is((await count()).status, 429);
});

test('opens realtime sockets through its own server', async ({ client, daemon }) => {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => socket.send('{"type":"session.created","session":{}}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  try {
    await daemon.addChannel({ base_url: `http://127.0.0.1:${port}`, models: 'gpt-realtime' });
    const protocols = ['realtime', `openai-insecure-api-key.${client.apiKey}`];
    const socket = new WebSocket(`${daemon.url.replace('http', 'ws')}/v1/realtime?model=gpt-realtime`, protocols);
    const [frame] = await once(socket, 'message');
    assert.is(JSON.parse(String(frame)).type, 'session.created');
    const closed = once(socket, 'close');
    socket.close();
    await closed;
  } finally {
    for (const socket of sockets.clients) socket.terminate();
    await new Promise((resolve) => server.close(resolve));
  }
});

test.run();
