/**
 * Media that a client names by address, for upstreams that have to be given their bytes (relay.md 17.7).
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { png } from '../conformance/conversion-samples.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import {
  type Answer,
  type FakeUpstream,
  jsonAnswer,
  type RecordedRequest,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts';
import { logRowOf } from '../support/log-row.ts';
import { until } from '../support/until.ts';
import { completion, streamOf } from './wire.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  web: FakeUpstream;
  key: string;
}

const test = suite<World>('relay/remote media');

const pictures: Readonly<Record<string, Answer>> = {
  '/a.png': { headers: { 'content-type': 'image/png' }, chunks: [Buffer.from(png, 'base64')] },
  // A server that lies about what it sends.
  '/b.png': { headers: { 'content-type': 'text/html' }, chunks: [Buffer.from(png, 'base64')] },
  '/page.png': { headers: { 'content-type': 'text/html' }, chunks: ['<html></html>'] },
  '/paper.pdf': { headers: { 'content-type': 'application/octet-stream' }, chunks: ['%PDF-1.7 paper'] },
  '/clip.mp4': { headers: { 'content-type': 'video/mp4' }, chunks: ['a clip'] },
  '/notes.txt': { headers: { 'content-type': 'text/plain; charset=utf-8' }, chunks: ['some notes'] },
  '/large.png': { headers: { 'content-type': 'image/png' }, chunks: [Buffer.alloc(1100 * 1024)] },
  '/slow.png': { headersAfterMs: 1500, headers: { 'content-type': 'image/png' }, chunks: [Buffer.from(png, 'base64')] },
};

function answers({ url }: RecordedRequest): Answer {
  if (url.includes('/messages')) {
    const content = [{ type: 'text', text: 'Hello' }];
    const usage = { input_tokens: 1, output_tokens: 1 };
    return jsonAnswer({ id: 'msg_1', type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage });
  }
  if (url.endsWith('/converse')) {
    const message = { role: 'assistant', content: [{ text: 'Hello' }] };
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    return jsonAnswer({ output: { message }, stopReason: 'end_turn', usage });
  }
  if (!url.includes('/models/')) return jsonAnswer(completion());
  const candidates = [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP', index: 0 }];
  return jsonAnswer({
    candidates,
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  });
}

test.before(async (world) => {
  world.upstream = await startFakeUpstream(answers);
  world.web = await startFakeUpstream(({ url }) => pictures[url] ?? { status: 404, chunks: ['no'] });
  world.daemon = await startTestDaemon({
    config: { 'relay.max_file_download_mb': 1, 'relay.gemini_vision_max_image_num': 2 },
    options: { SelfUseModeEnabled: 'true', RetryTimes: '1', AutomaticDisableChannelEnabled: 'false' },
  });
  const base_url = world.upstream.url;
  await world.daemon.addChannel({ type: 14, base_url, models: 'claude-sonnet-4-5' });
  await world.daemon.addChannel({ type: 24, base_url, models: 'gemini-2.5-flash,gemini-3-pro-image' });
  await world.daemon.addChannel({ type: 24, base_url, models: 'twice-tried', priority: 2, name: 'first' });
  await world.daemon.addChannel({ type: 14, base_url, models: 'twice-tried', priority: 1, name: 'second' });
  await world.daemon.addChannel({ type: 1, base_url, models: 'gpt-4o' });
  await world.daemon.addChannel({ type: 4, base_url, models: 'qwen3-vl' });
  const setting = '{"upstream_fetches_url":true}';
  await world.daemon.addChannel({ type: 14, base_url, models: 'claude-fetches', setting });
  const key = 'AKIAIOSFODNN7EXAMPLE|secret-of-the-key|eu-west-1';
  await world.daemon.addChannel({ type: 33, base_url, key, models: 'nova-lite,meta.llama3-1-8b-instruct-v1:0' });
  await world.daemon.addChannel({ type: 37, base_url, models: 'an-application' });
  await world.daemon.addChannel({ type: 103, base_url, models: 'a-bot' });
  await world.daemon.addChannel({ type: 109, base_url, models: 'black-forest-labs/flux-schnell' });
  world.key = await world.daemon.addKey();
});

test.before.each(({ upstream, web }) => {
  upstream.requests.length = 0;
  web.requests.length = 0;
  upstream.script(answers);
});

test.after(async ({ daemon, upstream, web }) => {
  await daemon.stop();
  await upstream.close();
  await web.close();
});

function post(world: World, path: string, body: unknown, init: RequestInit = {}): Promise<Response> {
  return fetch(`${world.daemon.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...init,
  });
}

function sentText({ upstream }: World): string {
  return upstream.requests.at(-1)?.body.toString() ?? '';
}

const picture = (url: string) => ({ type: 'image_url', image_url: { url } });
const chat = (model: string, ...content: unknown[]) => ({ model, messages: [{ role: 'user', content }] });
const chatPath = '/v1/chat/completions';

test('reach Claude and Gemini as bytes, typed by what they are and not by what their server says', async (world) => {
  const { url } = world.web;
  const body = chat('claude-sonnet-4-5', picture(`${url}/a.png`), picture(`${url}/b.png`), picture(`${url}/a.png`));
  assert.is((await post(world, chatPath, body)).status, 200);
  const source = { type: 'base64', media_type: 'image/png', data: png };
  const image = { type: 'image', source };
  assert.equal(JSON.parse(sentText(world)).messages[0].content, [image, image, image]);
  assert.equal(world.web.requests.map((request) => request.url).sort(), ['/a.png', '/b.png']);
  await post(world, chatPath, chat('gemini-2.5-flash', picture(`${url}/a.png`)));
  const part = { inlineData: { mimeType: 'image/png', data: png } };
  assert.equal(JSON.parse(sentText(world)).contents[0].parts, [part]);
});

test('reach Gemini as bytes in an edit of an image too', async (world) => {
  const made = { content: { parts: [{ inlineData: { mimeType: 'image/png', data: png } }] }, finishReason: 'STOP' };
  world.upstream.script(jsonAnswer({ candidates: [made] }));
  const images = [{ image_url: `${world.web.url}/a.png` }];
  const body = { model: 'gemini-3-pro-image', prompt: 'green', images };
  const answer = await post(world, '/v1/images/edits', body);
  assert.is(answer.status, 200, await answer.text());
  const part = { inlineData: { mimeType: 'image/png', data: png } };
  assert.equal(JSON.parse(sentText(world)).contents[0].parts, [part, { text: 'green' }]);
});

test('reach Nova as the video that they are, and nobody who sees none', async (world) => {
  const ask = (model: string) => {
    const clip = { type: 'video_url', video_url: { url: `${world.web.url}/clip.mp4` } };
    return post(world, chatPath, chat(model, { type: 'text', text: 'What is it?' }, clip));
  };
  assert.is((await ask('nova-lite')).status, 200);
  const video = { format: 'mp4', source: { bytes: Buffer.from('a clip').toString('base64') } };
  assert.equal(JSON.parse(sentText(world)).messages[0].content, [{ text: 'What is it?' }, { video }]);
  world.web.requests.length = 0;
  assert.is((await ask('meta.llama3-1-8b-instruct-v1:0')).status, 400);
  assert.is(world.web.requests.length, 0);
  assert.is(world.upstream.requests.length, 1);
});

test('reach Claude as a document, and a chat model that only takes files inline', async (world) => {
  const { url } = world.web;
  const files = [
    { type: 'input_file', file_url: `${url}/paper.pdf` },
    { type: 'input_file', file_url: `${url}/notes.txt` },
  ];
  const input = [{ type: 'message', role: 'user', content: files }];
  assert.is((await post(world, '/v1/responses', { model: 'claude-sonnet-4-5', input })).status, 200);
  const data = Buffer.from('%PDF-1.7 paper').toString('base64');
  const [pdf, notes] = JSON.parse(sentText(world)).messages[0].content;
  assert.equal(pdf.source, { type: 'base64', media_type: 'application/pdf', data });
  assert.equal(notes.source, { type: 'text', media_type: 'text/plain', data: 'some notes' });
  const document = { type: 'document', source: { type: 'url', url: `${url}/paper.pdf` } };
  const messages = [{ role: 'user', content: [document] }];
  assert.is((await post(world, '/v1/messages', { model: 'gpt-4o', messages, max_tokens: 9 })).status, 200);
  assert.match(sentText(world), new RegExp(`"file_data":"data:application/pdf;base64,${data}"`));
});

test('are handed in at Dify and Coze where they are documents, and named where they are pictures', async (world) => {
  const { url } = world.web;
  const document = { type: 'document', source: { type: 'url', url: `${url}/paper.pdf` } };
  const image = { type: 'image', source: { type: 'url', url: `${url}/a.png` } };
  const uploads = '/v1/files/upload';
  for (const model of ['an-application', 'a-bot']) {
    world.upstream.requests.length = 0;
    world.upstream.script(({ url: path }) =>
      path === uploads
        ? jsonAnswer({ id: 'file_1', data: { id: 'file_1' } })
        : { status: 500, headers: {}, chunks: ['enough'] },
    );
    await post(world, '/v1/messages', {
      model,
      messages: [{ role: 'user', content: [document, image] }],
      max_tokens: 9,
    });
    const [upload, asked] = world.upstream.requests;
    assert.is(upload?.url, uploads, model);
    assert.match(upload?.body.toString() ?? '', '%PDF-1.7 paper');
    assert.match(asked?.body.toString() ?? '', 'file_1');
    assert.match(asked?.body.toString() ?? '', `${url}/a.png`);
  }
  assert.equal([...new Set(world.web.requests.map((request) => request.url))], ['/paper.pdf']);
});

test('reach as bytes a vendor of the client’s own dialect that fetches nothing, beside all that it was told', async (world) => {
  const { url } = world.web;
  const named = {
    ...chat('qwen3-vl', { type: 'text', text: 'Look' }, picture(`${url}/a.png`)),
    seed: 3,
    own: { a: 1 },
  };
  assert.is((await post(world, chatPath, named)).status, 200);
  const inline = picture(`data:image/png;base64,${png}`);
  assert.equal(JSON.parse(sentText(world)), {
    ...chat('qwen3-vl', { type: 'text', text: 'Look' }, inline),
    seed: 3,
    own: { a: 1 },
  });
  assert.is(world.web.requests.length, 1);
  const plain = { ...chat('qwen3-vl', { type: 'text', text: 'Read "http://x" to me' }), big: 12345678901234567890n };
  const bytes = JSON.stringify(plain, (_, value) => (typeof value === 'bigint' ? `#${value}#` : value)).replace(
    /"#(\d+)#"/,
    '$1',
  );
  await post(world, chatPath, {}, { body: bytes });
  assert.is(sentText(world), bytes);
  assert.is((await post(world, chatPath, chat('gpt-4o', picture(`${url}/a.png`)))).status, 200);
  assert.equal(JSON.parse(sentText(world)), chat('gpt-4o', picture(`${url}/a.png`)));
});

test('reach the model inside a tool result too', async (world) => {
  const { url } = world.web;
  const messages = [
    { role: 'user', content: 'look' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }] },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: [{ type: 'image', source: { type: 'url', url: `${url}/a.png` } }],
        },
      ],
    },
  ];
  const tools = [{ name: 'look', input_schema: { type: 'object' } }];
  const answer = await post(world, '/v1/messages', { model: 'gemini-2.5-flash', messages, tools, max_tokens: 9 });
  assert.is(answer.status, 200);
  assert.match(sentText(world), new RegExp(png.slice(0, 20)));
});

test('are left to an upstream that fetches them itself', async (world) => {
  const url = `${world.web.url}/a.png`;
  await post(world, chatPath, chat('claude-fetches', picture(url)));
  assert.equal(JSON.parse(sentText(world)).messages[0].content[0].source, { type: 'url', url });
  await post(world, '/v1/responses', {
    model: 'gpt-4o',
    input: [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }],
  });
  assert.match(sentText(world), /a\.png/);
  assert.is(world.web.requests.length, 0);
});

test('are fetched once, however many channels are tried', async (world) => {
  world.upstream.script((request) =>
    request.url.includes('/models/') ? jsonAnswer({ error: { message: 'no', code: 500 } }, 500) : answers(request),
  );
  const answer = await post(world, chatPath, chat('twice-tried', picture(`${world.web.url}/a.png`)));
  assert.is(answer.status, 200);
  assert.is(world.upstream.requests.length, 2);
  assert.is(world.web.requests.length, 1);
});

const refusals: readonly (readonly [what: string, path: string, reason: RegExp])[] = [
  ['a file that is not there', '/gone.png', /could not load image 1: its server refused/],
  ['a page where a picture was meant', '/page.png', /could not load image 1: it is text\/html/],
  ['a file above the limit', '/large.png', /could not load image 1: it is too large/],
];
for (const [what, path, reason] of refusals) {
  test(`refuses ${what}, in the client's words, before anybody is asked`, async (world) => {
    const url = `${world.web.url}${path}`;
    const openai = await post(world, chatPath, chat('claude-sonnet-4-5', picture(url)));
    const { error } = await openai.json();
    assert.equal([openai.status, error.code], [400, 'invalid_request']);
    assert.match(error.message, reason);
    const source = { type: 'url', url };
    const messages = [{ role: 'user', content: [{ type: 'image', source }] }];
    const anthropic = await post(world, '/v1/messages', { model: 'gemini-2.5-flash', messages, max_tokens: 9 });
    const told = await anthropic.json();
    assert.equal([anthropic.status, told.error.type], [400, 'invalid_request_error']);
    assert.match(told.error.message, reason);
    assert.is(world.upstream.requests.length, 0);
  });
}

test('fetches the images that an upstream names through the same guard, and never with its key', async (world) => {
  const { url } = world.web;
  const inside = ['http://10.0.0.1/a.png', 'http://169.254.169.254/latest/meta-data', 'http://localhost:1/a.png'];
  // The prediction also says where it wants to be asked: nobody listens to that.
  const urls = { get: `${url}/prediction`, stream: `${url}/stream` };
  const made = { id: 'p1', status: 'succeeded', output: [`${url}/a.png`, ...inside], urls };
  world.upstream.script(({ method }) =>
    jsonAnswer(method === 'POST' ? { id: 'p1', status: 'processing', urls } : made, method === 'POST' ? 201 : 200),
  );
  const body = { model: 'black-forest-labs/flux-schnell', prompt: 'a cat', n: 4, response_format: 'b64_json' };
  const answer = await post(world, '/v1/images/generations', body);
  assert.is(answer.status, 200);
  assert.equal((await answer.json()).data, [{ b64_json: png }, ...inside.map((address) => ({ url: address }))]);
  assert.equal(
    world.web.requests.map((request) => [request.url, request.headers.authorization]),
    [['/a.png', undefined]],
  );
  assert.equal(
    world.upstream.requests.map((request) => request.url),
    ['/v1/models/black-forest-labs/flux-schnell/predictions', '/v1/predictions/p1'],
  );
});

test('refuses addresses inside, whoever asks, and tells nothing about them', async (world) => {
  for (const url of ['http://10.0.0.1/a.png', 'http://169.254.169.254/x', 'http://[::1]:22/', 'http://localhost:1/a']) {
    const parts = [{ fileData: { mimeType: 'image/png', fileUri: url } }];
    const body = { contents: [{ role: 'user', parts }] };
    const answer = await post(world, '/v1beta/models/claude-sonnet-4-5:generateContent', body);
    const { error } = await answer.json();
    assert.equal([answer.status, error.status], [400, 'INVALID_ARGUMENT'], url);
    assert.match(error.message, /could not load image 1: the address (is not allowed|cannot be reached)/, url);
  }
  assert.is(world.upstream.requests.length, 0);
});

test('counts what came inline by the same limit, and pictures by that of the vendor', async (world) => {
  const large = `data:image/png;base64,${Buffer.alloc(1100 * 1024).toString('base64')}`;
  const inline = await post(world, chatPath, chat('claude-sonnet-4-5', picture(large)));
  assert.is(inline.status, 400);
  const small = picture(`data:image/png;base64,${png}`);
  const three = await post(world, chatPath, chat('gemini-2.5-flash', small, small, small));
  assert.match((await three.json()).error.message, /at most 2 images in one message/);
  const many = Array.from({ length: 101 }, (_, at) => picture(`${world.web.url}/a.png?${at}`));
  const refused = await post(world, chatPath, chat('claude-sonnet-4-5', ...many));
  assert.match((await refused.json()).error.message, /at most 100/);
  assert.is(world.web.requests.length, 0);
});

test('are looked at for the bill of an answer without usage, whole and streamed', async (world) => {
  const silent = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }] };
  world.upstream.script(jsonAnswer(silent));
  const url = `${world.web.url}/a.png`;
  const gone = `${world.web.url}/gone.png`;
  const promptOf = async (asked: unknown) =>
    (await logRowOf(world.daemon, await post(world, chatPath, asked))).prompt_tokens;
  // The first count waits for the vocabulary, and is an estimate where that takes too long.
  await promptOf(chat('gpt-4o'));
  const words = await promptOf(chat('gpt-4o'));
  // One tile for a small picture; three times the base for one that cannot be looked at (14.3).
  assert.is((await promptOf(chat('gpt-4o', picture(url)))) - words, 85 + 170);
  assert.is((await promptOf(chat('gpt-4o', picture(gone)))) - words, 3 * 85);
  assert.equal(world.web.requests.map((request) => request.url).sort(), ['/a.png', '/gone.png']);
  world.web.requests.length = 0;
  const quiet = { ...chat('gpt-4o', picture(url)), stream: true };
  world.upstream.script(sseAnswer(streamOf(['Hello'], false)));
  assert.is((await promptOf(quiet)) - words, 85 + 170);
  assert.is(world.web.requests.length, 1);
});

test('are not looked at for the bill of a client that left', async (world) => {
  const leaving = new AbortController();
  world.upstream.script(sseAnswer(streamOf(['Hello'], false).slice(0, 2), { end: 'hang' }));
  const asked = { ...chat('gpt-4o', picture(`${world.web.url}/a.png`)), stream: true };
  const answer = await post(world, chatPath, asked, { signal: leaving.signal });
  await answer.body?.getReader().read();
  leaving.abort();
  const row = await logRowOf(world.daemon, answer);
  assert.match(row.other, '"settle_reason":"client_gone"');
  assert.ok(row.prompt_tokens > 0, 'it pays for what was read');
  assert.is(world.web.requests.length, 0);
});

test('are called off with the client that asked for them', async (world) => {
  const leaving = new AbortController();
  const body = chat('claude-sonnet-4-5', picture(`${world.web.url}/slow.png`));
  const call = post(world, chatPath, body, { signal: leaving.signal }).catch(() => undefined);
  await until(() => world.web.requests.length > 0);
  leaving.abort();
  await call;
  await world.web.requests[0]?.aborted;
  assert.is(world.upstream.requests.length, 0);
});

test.run();
