/** Forms of transcripts that their vendor does not know, and those that nobody takes (relay.md 5.8). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonAnswer } from '../support/fake-upstream.ts';
import type { GatewayHarness } from '../support/gateway-harness.ts';
import { type HarnessStarts, startsHarnesses } from '../support/harness-starts.ts';
import * as sounds from '../support/sound-files.ts';

const test = suite<HarnessStarts>('relay: forms of transcripts');

startsHarnesses(test);

const cohere = 34;
const siliconFlow = 40;

function serving({ start, upstream }: HarnessStarts, type: number): Promise<GatewayHarness> {
  return start({ channels: [{ id: 1, type, baseUrl: upstream.url, models: 'whisper-1', keys: ['sk-upstream'] }] });
}

function ask(harness: GatewayHarness, fields: Record<string, string>, files = 1): Promise<Response> {
  const form = new FormData();
  const sound = new Blob([new Uint8Array(sounds.wav(2))], { type: 'audio/wav' });
  for (let at = 0; at < files; at += 1) form.append('file', sound, 'a.wav');
  for (const [name, value] of Object.entries({ model: 'whisper-1', ...fields })) form.append(name, value);
  const headers = { authorization: `Bearer sk-${harness.key}` };
  return fetch(`${harness.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form });
}

const plain = 'text/plain; charset=utf-8';
const json = 'application/json';

test('a vendor that answers with JSON alone is told on in the form that was asked for', async (context) => {
  const body = { text: 'hello there' };
  for (const type of [cohere, siliconFlow]) {
    const harness = await serving(context, type);
    context.upstream.script(jsonAnswer(body));
    for (const [form, contentType, said] of [
      ['text', plain, 'hello there'],
      ['srt', plain, '1\n00:00:00,000 --> 00:00:02,000\nhello there\n\n'],
      ['vtt', 'text/vtt; charset=utf-8', 'WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nhello there\n\n'],
      ['json', json, JSON.stringify(body)],
      ['verbose_json', json, JSON.stringify(body)],
    ] as const) {
      const response = await ask(harness, { response_format: form });
      assert.is(response.status, 200);
      assert.is(response.headers.get('content-type'), contentType);
      assert.is(await response.text(), said);
    }
  }
});

test('subtitles show the times that such a vendor tells', async (context) => {
  const harness = await serving(context, siliconFlow);
  const segments = [
    { id: 0, start: 0, end: 1.5, text: ' hello' },
    { id: 1, start: 1.5, end: 2, text: ' there' },
  ];
  context.upstream.script(jsonAnswer({ text: 'hello there', segments: [...segments, { text: '!' }] }));
  const whole = await ask(harness, { response_format: 'srt' });
  assert.is(await whole.text(), '1\n00:00:00,000 --> 00:00:02,000\nhello there\n\n');
  context.upstream.script(jsonAnswer({ text: 'hello there', segments }));
  const response = await ask(harness, { response_format: 'srt' });
  assert.is(
    await response.text(),
    '1\n00:00:00,000 --> 00:00:01,500\nhello\n\n2\n00:00:01,500 --> 00:00:02,000\nthere\n\n',
  );
});

test('a stream of text is made of such an answer all the same, and a refusal stays one', async (context) => {
  const harness = await serving(context, cohere);
  context.upstream.script(jsonAnswer({ text: 'hello there' }));
  const streamed = await ask(harness, { response_format: 'text', stream: 'true' });
  assert.is(streamed.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  assert.match(await streamed.text(), '"type":"transcript.text.done","text":"hello there"');
  context.upstream.script(jsonAnswer({ message: 'invalid audio' }, 400));
  const refused = await ask(harness, { response_format: 'text' });
  assert.is(refused.status, 400);
  assert.match(await refused.text(), 'invalid audio');
});

test('a deployment without dots in its name is named so in forms as well', async ({ start, upstream }) => {
  const setting = '{"azure_strip_dots":true}';
  const channel = { id: 1, type: 3, baseUrl: upstream.url, models: 'gpt-4.1-whisper', keys: ['k'], setting };
  const harness = await start({ channels: [channel], options: { ModelRatio: { 'gpt-4.1-whisper': 1 } } });
  upstream.script(jsonAnswer({ text: 'hello there' }));
  const response = await ask(harness, { model: 'gpt-4.1-whisper' });
  assert.is(response.status, 200, await response.text());
  assert.is(upstream.requests.at(-1)?.url, '/openai/v1/audio/transcriptions');
  assert.match(String(upstream.requests.at(-1)?.body), 'name="model"\r\n\r\ngpt-41-whisper\r\n');
});

test('a form is told what it has too much of, and how much it may have', async (context) => {
  const harness = await serving(context, cohere);
  const crowd = Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`field${at}`, 'x']));
  for (const [response, reason] of [
    [await ask(harness, crowd), 'The form holds more than 200 fields; send fewer'],
    [await ask(harness, {}, 18), 'The form holds more than 17 files; send fewer'],
  ] as const) {
    assert.is(response.status, 413);
    const { error } = await response.json();
    assert.is(error.code, 'read_request_body_failed');
    assert.match(error.message, reason);
  }
  const long = await ask(harness, { prompt: 'x'.repeat(4 * 1024 * 1024 + 1) });
  assert.is(long.status, 400);
  const { error } = await long.json();
  assert.equal([error.code, error.param], ['invalid_request', 'prompt']);
  assert.match(error.message, 'prompt must be at most 4194304 bytes long');
  assert.is(context.upstream.requests.length, 0);
});

test.run();
