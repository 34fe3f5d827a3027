/**
 * Answers of hosts that imitate a vendor: under a type that is not theirs, behind a byte order mark, ended by another
 * dialect's mark, in events without names. Runs once: it looks at the wire and at one row.
 */
import Anthropic from '@anthropic-ai/sdk';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { type Dialect, dialectOf, saying } from '../support/speaking-upstream.ts';
import { chatRequest, chunk, finishChunk, roleChunk, usageChunk } from './wire.ts';

interface World {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const models: Readonly<Record<Dialect, string>> = {
  chat: 'gpt-4o',
  messages: 'claude-sonnet-4-5',
  gemini: 'gemini-2.5-flash',
  responses: 'gpt-5.5-pro',
};
const byteOrderMark = '\ufeff';

const test = suite<World>('relay: odd heads');

test.before.each(async (world) => {
  world.upstream = await startFakeUpstream();
  const baseUrl = world.upstream.url;
  world.harness = await GatewayHarness.start({
    channels: [
      { id: 1, type: 31, baseUrl, models: models.chat },
      { id: 2, type: 14, baseUrl, models: models.messages },
      { id: 3, type: 24, baseUrl, models: models.gemini },
      { id: 4, baseUrl, models: models.responses },
    ],
  });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.settled();
  await harness.stop();
  await upstream.close();
});

const said = { text: 'Hello, Zürich' };

/** A prompt for a model in two dialects: its own lane, or one that translates. */
function asked(model: string, stream: boolean): [path: string, body: object][] {
  const body = { ...chatRequest, model, max_tokens: 100, stream };
  return [
    ['/v1/chat/completions', { ...body, ...(stream ? { stream_options: { include_usage: true } } : {}) }],
    ['/v1/messages', body],
  ];
}

/** The words of an answer in either dialect. */
function wordsIn(text: string): string {
  const words = text.matchAll(/"(?:content|text)":"([^"]*)"/g);
  return [...words].map(([, word]) => word).join('');
}

async function rowOf(harness: GatewayHarness) {
  await harness.settled();
  const rows = await harness.rows();
  return rows.reduce((one, other) => (other.id > one.id ? other : one));
}

const types: Readonly<Record<string, string | undefined>> = {
  'no type': undefined,
  'plain text': 'text/plain; charset=utf-8',
  bytes: 'application/octet-stream',
  'the type of a whole answer': 'application/json',
  'the type of a stream': 'text/event-stream',
};
for (const [what, type] of Object.entries(types)) {
  for (const stream of [true, false]) {
    for (const isCut of [false, true]) {
      const manner = `${stream ? 'stream' : 'whole answer'}${isCut ? ', byte by byte behind a mark of order' : ''}`;
      test(`${what} takes nothing from a ${manner}`, async ({ harness, upstream }) => {
        upstream.script((request, index) => {
          const { chunks = [] } = saying(said)(request, index);
          const bytes = Buffer.concat([
            Buffer.from(isCut ? byteOrderMark : ''),
            ...chunks.map((one) => Buffer.from(one)),
          ]);
          const pieces = isCut ? Array.from(bytes, (byte) => Buffer.from([byte])) : [bytes];
          return { headers: type === undefined ? {} : { 'content-type': type }, chunks: pieces };
        });
        for (const model of Object.values(models)) {
          for (const [path, body] of asked(model, stream)) {
            const answer = await harness.post(path, body);
            const text = await answer.text();
            assert.is(answer.status, 200, text);
            assert.match(
              answer.headers.get('content-type') ?? '',
              stream ? /^text\/event-stream/ : /^application\/json/,
            );
            assert.is(wordsIn(text), said.text, `${model} ${path}: ${text}`);
            const { promptTokens, completionTokens, facts } = await rowOf(harness);
            assert.equal([promptTokens, completionTokens, facts.settle_reason], [12, 5, 'complete']);
          }
        }
      });
    }
  }
}

test('a refusal under the type of a stream is told as what it is', async ({ harness, upstream }) => {
  const error = { message: 'too many tokens', code: 'context_length_exceeded', type: 'invalid_request_error' };
  upstream.script({ headers: { 'content-type': 'text/event-stream' }, chunks: [JSON.stringify({ error })] });
  for (const [path, body] of asked(models.chat, true)) {
    const answer = await harness.post(path, body);
    assert.ok(answer.status >= 400, String(answer.status));
    assert.match(await answer.text(), /too many tokens/);
  }
});

test('a refusal behind a mark of order is read', async ({ harness, upstream }) => {
  const body = JSON.stringify({ error: { message: 'too many tokens', code: 'context_length_exceeded' } });
  upstream.script({ status: 400, chunks: [`${byteOrderMark}${body}`] });
  const answer = await harness.post('/v1/chat/completions', { ...chatRequest, model: models.chat });
  assert.is(answer.status, 400);
  const { error } = (await answer.json()) as { error: { code: string } };
  assert.is(error.code, 'context_length_exceeded');
});

test('a refusal that came as an event is read', async ({ harness, upstream }) => {
  const body = JSON.stringify({ code: 'InvalidParameter', message: 'the prompt is too long', request_id: 'r' });
  upstream.script({
    status: 400,
    headers: { 'content-type': 'text/event-stream' },
    chunks: [`id:1\nevent:error\n:HTTP_STATUS/400\ndata:${body}\n\n`],
  });
  for (const [path, body] of asked(models.chat, true)) {
    const answer = await harness.post(path, body);
    assert.is(answer.status, 400);
    assert.match(await answer.text(), /the prompt is too long/);
  }
});

test('what was heard may begin as an event does', async ({ harness, upstream }) => {
  harness.setChannels([{ id: 1, baseUrl: upstream.url, models: 'whisper-1' }]);
  upstream.script({ headers: { 'content-type': 'text/plain' }, chunks: ['data: the new oil\n'] });
  const form = new FormData();
  form.set('model', 'whisper-1');
  form.set('response_format', 'text');
  form.set('file', new Blob([Buffer.alloc(64)]), 'a.wav');
  const headers = { authorization: `Bearer sk-${harness.key}` };
  const answer = await fetch(`${harness.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form });
  assert.is(await answer.text(), 'data: the new oil\n');
});

test('text where sound was asked for is no answer, and sound is one under whatever type', async (world) => {
  const { harness, upstream } = world;
  harness.setChannels([{ id: 1, baseUrl: upstream.url, models: 'tts-1' }]);
  const speech = { model: 'tts-1', voice: 'alloy', input: 'hello' };
  const mp3 = Buffer.from([0xff, 0xfb, 0x90, 0x44, 0, 0, 0, 0, 0x49]);
  const silence = Buffer.alloc(64);
  for (const [said, isSound] of [
    ['<html>\n\tSign in — again</html>', false],
    [JSON.stringify({ error: { message: 'no such voice', code: 'invalid_voice' } }), false],
    [mp3, true],
    [silence, true],
  ] as const) {
    for (const type of ['text/html; charset=utf-8', 'text/plain', undefined]) {
      upstream.script({ headers: type === undefined ? {} : { 'content-type': type }, chunks: [said] });
      const answer = await harness.post('/v1/audio/speech', speech);
      const heard = Buffer.from(await answer.arrayBuffer());
      assert.is(answer.ok, isSound, `${type}: ${heard}`);
      if (isSound) assert.equal(heard, said);
      else assert.not.match(heard.toString(), 'Sign in');
      assert.is((await rowOf(harness)).quota > 0, isSound);
    }
  }
});

test('a refusal or a page under the type of the sound that was asked for is one, and sound that begins as JSON does is not', async (world) => {
  const { harness, upstream } = world;
  harness.setOptions({ RetryTimes: 1 });
  const speech = { model: 'tts-1', voice: 'alloy', input: 'hello' };
  const refusal = JSON.stringify({ error: { message: 'no such voice', code: 'invalid_voice' } });
  const samples = Buffer.from([0x7b, 0x00, 0x5b, 0x7f, 0x01, 0x80, 0x20, 0x20]);
  for (const [place, type] of ['audio/mpeg', 'audio/pcm', 'application/octet-stream'].entries()) {
    const headers = { 'content-type': type };
    // Others each time: failures that come close together pause a channel.
    harness.setChannels([1, 2].map((id) => ({ id: 10 * place + id, baseUrl: upstream.url, models: 'tts-1' })));
    const page = '<!DOCTYPE html>\n<html><body>登录 to go on</body></html>';
    const refusals = [[refusal], [` ${refusal.slice(0, 1)}`, refusal.slice(1)], ['[{"code":"余额不足"}]']];
    for (const chunks of [...refusals, [page], [page.slice(0, 7), page.slice(7)], ['\n<HTML>']]) {
      upstream.requests.length = 0;
      upstream.script({ headers, chunks, pauseMs: 5 });
      const answer = await harness.post('/v1/audio/speech', speech);
      assert.is(answer.status, 502, `${type}: ${await answer.text()}`);
      assert.is(upstream.requests.length, 1, 'work that was perhaps done is not asked for twice');
      assert.is((await rowOf(harness)).quota, 0);
    }
    upstream.script({ headers, chunks: [samples] });
    const heard = await harness.post('/v1/audio/speech', speech);
    assert.ok(Buffer.from(await heard.arrayBuffer()).equals(samples), type);
    assert.ok((await rowOf(harness)).quota > 0);
  }
});

const chatEvents = [roleChunk, chunk({ content: 'Hello' }), finishChunk, usageChunk];
const marks: Readonly<Record<string, string>> = {
  'behind two spaces': 'data:  [DONE]\n\n',
  'with fields behind it': 'data: [DONE]\nid: 7\nretry: 100\n\n: ping\n\n',
  'with empty events behind it': 'data: [DONE]\n\ndata:\n\ndata: \n\n',
  'with more of its kind behind it': 'data: [DONE]\n\nid: 1\ndata: [DONE]\n\n',
};
for (const [what, mark] of Object.entries(marks)) {
  test(`an end mark ${what} ends the stream, once and behind the usage`, async ({ harness, upstream }) => {
    const { chunks = [], ...rest } = sseAnswer(chatEvents);
    for (const pieces of [[[...chunks, mark].join('')], [...chunks, mark]]) {
      upstream.script({ ...rest, chunks: pieces, pauseMs: 2 });
      for (const [path, body] of asked(models.chat, true).slice(0, 1)) {
        const text = await (await harness.post(path, body)).text();
        assert.match(text, /"usage":\{[^\n]*\n\ndata: ?\[DONE\]\n\n$/);
        assert.is(text.split('[DONE]').length, 2, text);
      }
    }
  });
}

for (const dialect of ['messages', 'gemini', 'responses'] as const) {
  test(`an end mark of OpenAI's takes nothing from a stream of ${dialect}`, async ({ harness, upstream }) => {
    upstream.script((request, index) => {
      assert.is(dialectOf(request), dialect);
      const answer = saying(said)(request, index);
      return { ...answer, chunks: [...(answer.chunks ?? []), 'data: [DONE]\n\n'] };
    });
    for (const [path, body] of asked(models[dialect], true)) {
      const text = await (await harness.post(path, body)).text();
      assert.is(wordsIn(text), said.text);
      assert.is(text.split('[DONE]').length, path === '/v1/messages' ? 1 : 2, text);
      assert.is((await rowOf(harness)).facts.settle_reason, 'complete', path);
    }
  });
}

for (const [what, altered] of [
  ['without names', (event: string) => event.replace(/^event: .*\n/, '')],
  ['of one name', (event: string) => event.replace(/^event: .*\n/, 'event: message\n')],
  ['with their names behind', (event: string) => event.replace(/^(event: .*\n)(data: .*\n)/, '$2$1')],
] as const) {
  test(`the official package reads Messages whose events came ${what}`, async ({ harness, upstream }) => {
    upstream.script((request, index) => {
      const answer = saying(said)(request, index);
      return { ...answer, chunks: (answer.chunks ?? []).map((event) => altered(String(event))) };
    });
    const client = new Anthropic({ baseURL: harness.url, apiKey: `sk-${harness.key}`, maxRetries: 0 });
    const message = await client.messages
      .stream({ model: models.messages, max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] })
      .finalMessage();
    assert.equal(
      message.content.map((block) => block.type === 'text' && block.text),
      [said.text],
    );
    assert.is(message.usage.output_tokens, 5);
  });
}

test.run();
