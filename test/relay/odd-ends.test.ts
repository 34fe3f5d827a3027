/**
 * What upstreams and clients do that no protocol foresees: answers that break off within an event or behind their last
 * one, lines between events, places that no list has, members named as what every object has. Runs once: it looks at the wire and at one row.
 */
import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { wav } from '../support/sound-files.ts';
import { chatRequest, chunk, completion, finishChunk, roleChunk, usageChunk } from './wire.ts';

interface World {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<World>('relay: odd ends');

test.before.each(async (world) => {
  world.upstream = await startFakeUpstream();
  const baseUrl = world.upstream.url;
  world.harness = await GatewayHarness.start({
    channels: [
      { id: 1, baseUrl, models: 'gpt-4o' },
      { id: 2, type: 14, baseUrl, models: 'claude-sonnet-4-5' },
      { id: 3, type: 24, baseUrl, models: 'gemini-2.5-flash' },
      { id: 5, type: 14, baseUrl, models: 'claude-sonnet-4-5' },
      { id: 4, type: 40, baseUrl, models: 'qwen3-8b' },
    ],
  });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.settled();
  await harness.stop();
  await upstream.close();
});

const whole = [roleChunk, chunk({ content: 'Hello' }), finishChunk, usageChunk, '[DONE]'];
const messageOf = (model: string) => ({ ...chatRequest, model, max_tokens: 100, stream: true });

test('a stream that breaks behind its last word is complete, in every lane', async ({ harness, upstream }) => {
  const told = sseAnswer(whole);
  const packed = gzipSync((told.chunks ?? []).join(''));
  const headers = { ...told.headers, 'content-encoding': 'gzip' };
  for (const broken of [{ ...told, end: 'reset' } as const, { headers, chunks: [packed.subarray(0, -5)] }]) {
    upstream.script(broken);
    for (const [path, last] of [
      ['/v1/chat/completions', /data: \[DONE\]\n\n$/],
      ['/v1/messages', /event: message_stop\ndata: \{[^\n]*\}\n\n$/],
    ] as const) {
      const answer = await harness.post(path, messageOf('gpt-4o'));
      assert.match(await answer.text(), last);
      await harness.settled();
      const rows = await harness.rows();
      assert.ok(
        rows.every(({ facts, failed }) => facts.settle_reason === 'complete' && !failed),
        path,
      );
    }
  }
  assert.is((await harness.rows()).length, 4);
});

test('a whole answer is one whose connection broke, or whose compression was cut, behind its end alone', async (world) => {
  const { harness, upstream } = world;
  const said = JSON.stringify(completion());
  const packed = gzipSync(said);
  const zipped = { 'content-encoding': 'gzip' };
  const events = sseAnswer(whole);
  for (const [broken, isWhole] of [
    [{ headers: zipped, chunks: [packed.subarray(0, -5)] }, true],
    [{ chunks: [said], end: 'reset' }, true],
    [{ ...events, end: 'reset' }, true],
    [{ headers: zipped, chunks: [packed.subarray(0, -20)] }, false],
    [{ headers: zipped, chunks: [said] }, false],
    [{ chunks: [said.slice(0, -1)], end: 'reset' }, false],
    [{ ...events, chunks: events.chunks?.slice(0, 2) ?? [], end: 'reset' }, false],
  ] as const) {
    harness.setChannels([{ id: upstream.requests.length + 100, baseUrl: upstream.url, models: 'gpt-4o' }]);
    upstream.script(broken);
    const answer = await harness.post('/v1/chat/completions', { ...messageOf('gpt-4o'), stream: false });
    assert.is(answer.ok, isWhole, await answer.text());
    assert.is(((await harness.rows()).at(-1)?.quota ?? 0) > 0, isWhole);
  }
});

const geminiPiece = (text: string, rest: object = {}) => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...rest }],
  usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 5, totalTokenCount: 17 },
});

test('a stream of Gemini that breaks behind its reason to end is complete, and one before it is not', async (world) => {
  const { harness, upstream } = world;
  const ended = { finishReason: 'STOP' };
  for (const [pieces, isWhole] of [
    [[geminiPiece('Hel'), geminiPiece('lo', ended)], true],
    [[geminiPiece('Hel'), geminiPiece('lo')], false],
    // A host that names a reason with every piece may have had more to say.
    [[geminiPiece('Hel', ended), geminiPiece('lo', ended)], false],
    [[geminiPiece('Hel', ended), geminiPiece('lo')], false],
    // Of two answers at once each has its end.
    [[geminiPiece('Hel'), geminiPiece('lo', { index: 1 }), geminiPiece('', ended)], false],
    [[geminiPiece('Hel', ended), geminiPiece('lo', { index: 1, ...ended })], true],
  ] as const) {
    upstream.script(sseAnswer(pieces, { end: 'reset' }));
    const answer = await harness.post('/v1/chat/completions', messageOf('gemini-2.5-flash'));
    const text = await answer.text();
    assert.is(/data: \[DONE\]\n\n$/.test(text), isWhole, text);
    const own = await harness.post('/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse', {
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
    });
    const native = await own.text();
    assert.is(/data: \{"error":[^\n]*\n\n$/.test(native), !isWhole, native);
    await harness.settled();
    const rows = (await harness.rows()).sort((one, other) => one.id - other.id);
    const reasons = rows.slice(-2).map(({ facts }) => facts.settle_reason);
    assert.equal(reasons, Array(2).fill(isWhole ? 'complete' : 'upstream_eof'));
  }
});

test('words that an upstream does not count are charged all the same, whole and streamed', async (world) => {
  const { harness, upstream } = world;
  const words = 'several words that nobody has counted '.repeat(10);
  const uncounted = { prompt_tokens: 12, total_tokens: 12 };
  const gemini = { promptTokenCount: 12, totalTokenCount: 12 };
  const said = { ...geminiPiece(words, { finishReason: 'STOP' }), usageMetadata: gemini };
  const message = { role: 'assistant', content: words };
  const chat = completion({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage: uncounted });
  const chunks = [roleChunk, chunk({ content: words }), finishChunk, chunk({}, { choices: [], usage: uncounted })];
  let rows = 0;
  for (const [model, whole, pieces] of [
    ['gpt-4o', chat, [...chunks, '[DONE]']],
    ['gemini-2.5-flash', said, [said]],
  ] as const) {
    for (const path of ['/v1/chat/completions', '/v1/messages']) {
      for (const stream of [true, false]) {
        upstream.script(stream ? sseAnswer(pieces) : jsonAnswer(whole));
        const answer = await harness.post(path, { ...messageOf(model), stream });
        const text = await answer.text();
        assert.is(answer.status, 200, text);
        rows += 1;
        await harness.settled();
        const all = await harness.rows();
        assert.is(all.length, rows);
        const row = all.find(({ id }) => id === Math.max(...all.map((one) => one.id)));
        assert.is(row?.promptTokens, 12, model);
        const { completionTokens = 0 } = row ?? {};
        assert.ok(completionTokens >= 50, `${model} ${path} ${stream}: ${completionTokens}`);
        // Who is told the usage in another dialect is told what is charged.
        if (path === '/v1/messages') assert.match(text, `"output_tokens":${completionTokens}`);
      }
    }
  }
});

const opening = { id: 'msg_1', type: 'message', role: 'assistant', content: [], model: 'm' };
const claudeStream = [
  { type: 'message_start', message: { ...opening, usage: { input_tokens: 1000, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hello' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
  { type: 'message_stop' },
];

test('the token that opens a stream of Claude is no count of its words, where no later report is one', async (world) => {
  const { harness, upstream } = world;
  const words = 'several words that nobody has counted '.repeat(10);
  const [start, , stop, , end] = claudeStream;
  const text = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: words } };
  for (const last of [undefined, { input_tokens: 1000 }, { output_tokens: 0 }]) {
    const ending = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, ...(last && { usage: last }) };
    upstream.script(sseAnswer([start, text, stop, ending, end]));
    for (const path of ['/v1/messages', '/v1/chat/completions'])
      assert.is((await harness.post(path, messageOf('claude-sonnet-4-5'))).status, 200);
  }
  await harness.settled();
  const rows = await harness.rows();
  assert.is(rows.length, 6);
  for (const { promptTokens, completionTokens, facts } of rows) {
    assert.is(promptTokens, 1000);
    assert.ok(completionTokens >= 50, String(completionTokens));
    assert.is(facts.usage_estimated, true);
  }
});

for (const path of ['/v1/messages', '/v1/chat/completions']) {
  test(`a stream of ${path} that ends before its first word is asked for elsewhere, whatever usage it told`, async (world) => {
    const { harness, upstream } = world;
    harness.setOptions({ RetryTimes: 1 });
    upstream.script((_, index) => sseAnswer(index === 0 ? claudeStream.slice(0, 1) : claudeStream));
    const text = await (await harness.post(path, messageOf('claude-sonnet-4-5'))).text();
    assert.match(text, /Hello/);
    assert.not.match(text, /error/);
    assert.is(upstream.requests.length, 2);
  });
}

test('a stream is known by its type however that is spelt', async ({ harness, upstream }) => {
  upstream.script(sseAnswer(whole, { headers: { 'content-type': 'Text/Event-Stream; charset=UTF-8' } }));
  for (const stream of [true, false]) {
    const answer = await harness.post('/v1/chat/completions', { ...chatRequest, stream });
    assert.is(answer.status, 200, await answer.text());
  }
});

for (const tail of ['data: {"id":"c1","choices":[{"del', 'data:', 'event: chunk\n', 'event: chunk\ndata: ']) {
  test(`${JSON.stringify(tail)}, within which the upstream broke off, is not passed on`, async ({
    harness,
    upstream,
  }) => {
    const torn = sseAnswer([roleChunk, chunk({ content: 'Hello' })]);
    upstream.script({ ...torn, chunks: [...(torn.chunks ?? []), tail] });
    const answer = await harness.post('/v1/chat/completions', messageOf('gpt-4o'));
    const events = (await answer.text()).split('\n\n').filter((event) => event !== '');
    const payloads = events.map((event): Record<string, unknown> => JSON.parse(event.replace(/^data: /, '')));
    assert.ok(payloads.at(-1)?.error, 'an error ends the stream');
    assert.is(payloads.length, 3);
  });
}

test('an answer is complete though its upstream broke off within what follows it, in every lane', async (world) => {
  const { harness, upstream } = world;
  const { chunks = [], ...rest } = sseAnswer(whole.slice(0, -2));
  upstream.script({ ...rest, chunks: [...chunks, 'data: {"id":"chatcmpl-1","choices":[],"us'] });
  for (const [path, last] of [
    ['/v1/chat/completions', /data: \[DONE\]\n\n$/],
    ['/v1/messages', /event: message_stop\ndata: \{[^\n]*\}\n\n$/],
    ['/v1/responses', /event: response.completed\ndata: \{[^\n]*\}\n\n$/],
  ] as const) {
    const model = path === '/v1/responses' ? 'qwen3-8b' : 'gpt-4o';
    const answer = await harness.post(path, { ...messageOf(model), input: 'hi' });
    assert.match(await answer.text(), last, path);
  }
});

test('an end mark is known by its payload, whatever fields its server gives to all its events', async (world) => {
  const { harness, upstream } = world;
  const { chunks = [], ...rest } = sseAnswer(whole.slice(0, -1));
  const mark = `id: ${'7'.repeat(80)}\nevent: done\ndata:[DONE]\n\n`;
  for (const include_usage of [true, false]) {
    upstream.script({ ...rest, chunks: [...chunks, mark] });
    const asked = { ...messageOf('gpt-4o'), stream_options: { include_usage } };
    const text = await (await harness.post('/v1/chat/completions', asked)).text();
    assert.is(text.match(/\[DONE\]/g)?.length, 1, text);
    assert.match(text, /\[DONE\]\n\n$/);
    assert.is(text.includes('"usage":{'), include_usage);
  }
});

test('lines that are no field of an event are not passed on', async ({ harness, upstream }) => {
  const stray = [
    '{"error":{"message":"http://10.9.8.7 refused sk-stray"}}',
    'dial tcp 10.9.8.7:443: sk-stray',
    'data-sk-stray',
  ];
  const message = [
    { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', content: [], usage: {} } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { input_tokens: 1, output_tokens: 1 } },
    { type: 'message_stop' },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  for (const [path, model, events] of [
    ['/v1/chat/completions', 'gpt-4o', sseAnswer(whole.filter((event) => event !== usageChunk)).chunks ?? []],
    ['/v1/messages', 'claude-sonnet-4-5', message],
  ] as const) {
    for (const end of ['\n', '\n\n']) {
      const chunks = events.flatMap((event) => [stray.map((line) => line + end).join(''), event]);
      for (const sent of [chunks, [chunks.join('')]]) {
        upstream.script({ ...sseAnswer([]), chunks: sent });
        const answer = await harness.post(path, messageOf(model));
        assert.is(await answer.text(), events.join(''), `${path} ${JSON.stringify(end)} in ${sent.length}`);
      }
    }
  }
});

test('a last event that lacks nothing but its blank line is passed on', async ({ harness, upstream }) => {
  const { chunks = [], ...rest } = sseAnswer(whole.slice(0, -1));
  upstream.script({ ...rest, chunks: [...chunks, 'data: [DONE]'] });
  const answer = await harness.post('/v1/chat/completions', messageOf('gpt-4o'));
  assert.match(await answer.text(), /data: \[DONE\]\n\n$/);
});

test('a choice at a place that no list has is the first one', async ({ harness, upstream }) => {
  for (const index of ['-1', '0.5', '1e308', '1e999', '"7"']) {
    const said = JSON.stringify(chunk({ content: 'Hello' })).replace('"index":0', `"index":${index}`);
    upstream.script(sseAnswer([roleChunk, `${said}`, finishChunk, usageChunk, '[DONE]']));
    const streamed = await harness.post('/v1beta/models/gpt-4o:streamGenerateContent?alt=sse', {
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
    });
    const places = [...(await streamed.text()).matchAll(/"index":([^,}]*)/g)].map(([, place]) => place);
    assert.ok(places.length > 0, index);
    assert.equal(new Set(places), new Set(['0']), index);
    const body = JSON.stringify(completion()).replace('"index":0', `"index":${index}`);
    upstream.script({ ...jsonAnswer({}), chunks: [body] });
    const answer = await harness.post('/v1beta/models/gpt-4o:generateContent', {
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
    });
    const shown: { candidates: { index?: number }[] } = JSON.parse(await answer.text());
    assert.equal(
      shown.candidates.map(({ index: place = 0 }) => place),
      [0],
      index,
    );
  }
});

test('members named as what every object has are served as any other', async ({ harness, upstream }) => {
  upstream.script((request) =>
    jsonAnswer(
      request.url.includes('messages')
        ? {
            id: 'm',
            type: 'message',
            role: 'assistant',
            content: [{ type: 'text', text: 'Hi' }],
            stop_reason: 'end_turn',
          }
        : completion(),
    ),
  );
  for (const name of ['constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
    for (const [path, model] of [
      ['/v1/messages', 'claude-sonnet-4-5'],
      ['/v1/chat/completions', 'gpt-4o'],
    ] as const) {
      const { stream: _, ...asked } = messageOf(model);
      const answer = await harness.post(path, { ...asked, [name]: { prototype: 1 } });
      assert.is(answer.status, 200, `${path} ${name}: ${await answer.text()}`);
    }
  }
});

test('words named as what every object has are unknown words', async ({ harness, upstream }) => {
  const finish = JSON.stringify(finishChunk).replace('"stop"', '"constructor"');
  upstream.script((request) =>
    request.body.includes('"stream":true')
      ? sseAnswer([roleChunk, chunk({ content: 'Hello' }), finish, usageChunk, '[DONE]'])
      : { ...jsonAnswer({}), chunks: [JSON.stringify(completion()).replace('"stop"', '"constructor"')] },
  );
  const streamed = await harness.post('/v1/messages', messageOf('gpt-4o'));
  assert.match(await streamed.text(), '"stop_reason":"end_turn"');
  const { stream: _, ...asked } = messageOf('gpt-4o');
  const answer = await harness.post('/v1/messages', asked);
  const said: { stop_reason: string } = JSON.parse(await answer.text());
  assert.is(said.stop_reason, 'end_turn');
  upstream.requests.length = 0;
  const tools = [{ type: 'constructor' }, { type: 'toString', name: 'a' }];
  const hosted = await harness.post('/v1/responses', { model: 'gemini-2.5-flash', input: 'hi', tools });
  assert.is(hosted.status, 400, await hosted.text());
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  const own = await harness.post('/v1beta/models/gpt-4o:generateContent', { contents, tools: [{ constructor: {} }] });
  assert.is(own.status, 200, await own.text());
  const wished = { model: 'qwen3-8b', messages: [{ role: 'user', content: 'hi' }], reasoning_effort: 'constructor' };
  const answered = await harness.post('/v1/chat/completions', wished);
  assert.is(answered.status, 200, await answered.text());
  assert.not.match(String(upstream.requests.at(-1)?.body), 'thinking_budget');
});

test('takes a packed form whose pieces are small and unpack to much more than is read at once', async ({
  harness,
  upstream,
}) => {
  harness.setChannels([{ id: 1, baseUrl: upstream.url, models: 'whisper-1' }]);
  upstream.script(jsonAnswer({ text: 'silence' }));
  const file = wav(240);
  const form = new FormData();
  form.append('model', 'whisper-1');
  form.append('file', new Blob([new Uint8Array(file)], { type: 'audio/wav' }), 'a.wav');
  const plain = new Response(form);
  const packed = gzipSync(await plain.arrayBuffer());
  const asking = request(`${harness.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer sk-${harness.key}`,
      'content-encoding': 'gzip',
      'content-type': plain.headers.get('content-type') ?? '',
    },
  });
  const answered = once(asking, 'response');
  for (let at = 0; at < packed.length; at += 100) {
    asking.write(packed.subarray(at, at + 100));
    await sleep(5);
  }
  asking.end();
  const [answer] = await answered;
  assert.is(answer.statusCode, 200);
  answer.resume();
  assert.ok((upstream.requests[0]?.body.length ?? 0) > file.length);
});

test.run();
