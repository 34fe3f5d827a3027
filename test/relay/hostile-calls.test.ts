/** Calls made to harm: hostile numbers, odd paths, keys that almost match (S1, S19, S28, S31). */
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness, type HarnessOptions } from '../support/gateway-harness.ts';
import { chatRequest, completion } from './wire.ts';

interface Context {
  upstream: FakeUpstream;
  start: (options?: Partial<HarnessOptions>) => Promise<GatewayHarness>;
  harnesses: GatewayHarness[];
}

const hostile = suite<Context>('relay: hostile calls');

const models =
  'gpt-4o,text-embedding-3-small,dall-e-2,dall-e-3,gpt-image-1,rerank-english-v3.0,omni-moderation-latest,tts-1,imagen-4.0-generate-001';

hostile.before.each(async (context) => {
  context.upstream = await startFakeUpstream(jsonAnswer(completion()));
  context.harnesses = [];
  context.start = async (options = {}) => {
    const harness = await GatewayHarness.start({
      channels: [{ id: 1, baseUrl: context.upstream.url, models }],
      ...options,
    });
    context.harnesses.push(harness);
    return harness;
  };
});
hostile.after.each(async ({ harnesses, upstream }) => {
  for (const harness of harnesses) await harness.stop();
  await upstream.close();
});

/** Bodies as texts, because most of these numbers do not survive `JSON.stringify`. */
const numbers = ['0', '-1', '-0', '2147483648', '9007199254740993', '18446744073709551615', '1e308', '-1e308', '1e999'];
/** What a charge is multiplied by: each has a limit, which all numbers above the largest `int` are beyond (REQ-8). */
const quantities = /(?:^|\.)(?:n|best_of|size|sampleCount|candidateCount|max_\w*tokens|maxOutputTokens)$/;
const largestInt = 2 ** 31 - 1;
const almostNumbers = ['"1"', '"NaN"', 'NaN', 'null', '[]', '{}', '0.5', 'true'];

interface Fuzzed {
  readonly path: string;
  /** A body that is served; the fuzzed member is set in it. */
  readonly body: Record<string, unknown>;
  /** Dotted paths of members that are numbers. */
  readonly members: readonly string[];
}

const messages = [{ role: 'user', content: 'hi' }];
const samplings = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'seed'];
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
const calls: readonly Fuzzed[] = [
  {
    path: '/v1/chat/completions',
    body: { model: 'gpt-4o', messages },
    members: [...samplings, 'max_tokens', 'max_completion_tokens', 'n', 'top_logprobs', 'prediction.tokens'],
  },
  {
    path: '/v1/completions',
    body: { model: 'gpt-4o', prompt: 'hi' },
    members: [...samplings, 'max_tokens', 'n', 'best_of', 'logprobs'],
  },
  {
    path: '/v1/responses',
    body: { model: 'gpt-4o', input: 'hi' },
    members: ['temperature', 'top_p', 'max_output_tokens', 'max_tool_calls', 'top_logprobs'],
  },
  {
    path: '/v1/messages',
    body: { model: 'gpt-4o', messages, max_tokens: 10 },
    members: ['max_tokens', 'temperature', 'top_k', 'top_p', 'thinking.budget_tokens'],
  },
  {
    path: '/v1beta/models/gpt-4o:generateContent',
    body: { contents },
    members: [
      ...['maxOutputTokens', 'candidateCount', 'temperature', 'topK', 'topP', 'seed', 'logprobs'].map(
        (name) => `generationConfig.${name}`,
      ),
      'generationConfig.thinkingConfig.thinkingBudget',
    ],
  },
  { path: '/v1/embeddings', body: { model: 'text-embedding-3-small', input: 'hi' }, members: ['dimensions'] },
  {
    path: '/v1/images/generations',
    body: { model: 'dall-e-3', prompt: 'hi' },
    members: ['n', 'size', 'output_compression', 'partial_images'],
  },
  {
    path: '/v1beta/models/imagen-4.0-generate-001:predict',
    body: { instances: [{ prompt: 'hi' }] },
    members: ['parameters.sampleCount'],
  },
  { path: '/v1/edits', body: { model: 'gpt-4o', instruction: 'mend', input: 'hi' }, members: ['n', 'temperature'] },
  { path: '/v1/audio/speech', body: { model: 'tts-1', input: 'hi', voice: 'ash' }, members: ['speed'] },
  {
    path: '/v1/rerank',
    body: { model: 'rerank-english-v3.0', query: 'q', documents: ['a', 'b'] },
    members: ['top_n', 'max_chunks_per_doc', 'max_tokens_per_doc'],
  },
];

/** The body as text with one member set to a text of its own. */
function bodyWith(body: Record<string, unknown>, member: string, value: string): string {
  const mark = '"@"';
  const copy: Record<string, unknown> = structuredClone(body);
  let place = copy;
  const names = member.split('.');
  for (const name of names.slice(0, -1)) {
    const inner: Record<string, unknown> = {};
    place[name] = inner;
    place = inner;
  }
  place[names.at(-1) ?? ''] = '@';
  return JSON.stringify(copy).replace(mark, value);
}

hostile('with any number anywhere are refused or charged nothing below zero (S1)', async ({ start, upstream }) => {
  const harness = await start({ user: { quota: 1_000_000_000 } });
  const before = (await harness.user()).quota;
  // An upstream that answers hostile figures as well.
  const figures = [-1, 0, '7', null, 0.5];
  upstream.script((_request, index) => {
    const figure = figures[index % figures.length];
    const usage = { prompt_tokens: figure, completion_tokens: figure, total_tokens: figure };
    return jsonAnswer(completion({ usage }));
  });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${harness.key}` };
  for (const { path, body, members } of calls) {
    for (const member of members) {
      const judged = [...numbers, ...almostNumbers].map(async (value) => {
        const init = { method: 'POST', headers, body: bodyWith(body, member, value) };
        const response = await fetch(`${harness.url}${path}`, init);
        const answer = await response.text();
        const shown = `${path} ${member} = ${value}: ${response.status} ${answer.slice(0, 200)}`;
        // A call may fail for other reasons here, as this upstream knows chat alone; it must not be our failure.
        assert.ok([200, 400, 404, 429, 501, 502, 503].includes(response.status), shown);
        assert.not(answer.includes('internal_error'), shown);
        if (quantities.test(member) && Number(value) > largestInt) assert.is(response.status, 400, shown);
      });
      await Promise.all(judged);
      // Calls whose usage must be counted here keep their place until that is done.
      await harness.settled();
    }
  }
  await harness.settled();
  for (const row of await harness.rows()) {
    assert.ok(Number.isSafeInteger(row.quota) && row.quota >= 0, `charged ${row.quota}`);
  }
  const after = await harness.user();
  const charged = (await harness.rows()).reduce((sum, { quota }) => sum + quota, 0);
  assert.is(after.quota, before - charged);
  assert.is(after.usedQuota, charged);
});

hostile('are charged for no other images than came, whatever number a form names (S1)', async ({ start, upstream }) => {
  const harness = await start({ user: { quota: 1_000_000_000 } });
  upstream.script(jsonAnswer({ created: 1, data: [{ b64_json: 'aGk=' }] }));
  let served = 0;
  for (const path of ['/v1/images/edits', '/v1/images/variations']) {
    for (const number of [...numbers, 'NaN', '', '1', '0x1', '1e0', '٣']) {
      const body = new FormData();
      for (const [name, value] of Object.entries({ model: 'dall-e-2', prompt: 'hi', n: number })) body.set(name, value);
      body.set('image', new Blob(['hi'], { type: 'image/png' }), 'a.png');
      const headers = { authorization: `Bearer ${harness.key}` };
      const { status } = await fetch(harness.url + path, { method: 'POST', headers, body });
      if (status === 200) served += 1;
      else assert.is(status, 400, `${path} ${number}`);
    }
  }
  await harness.settled();
  const rows = await harness.rows();
  assert.ok(served > 0);
  assert.is(rows.length, served);
  // One image in the size that is made where none is named.
  assert.equal([...new Set(rows.map(({ quota }) => quota))], [10_000]);
});

hostile('never choose a path at the upstream (S28)', async ({ start, upstream }) => {
  const harness = await start();
  const { port, hostname } = new URL(harness.url);
  const odd = [
    ...['/v1beta/models/../../admin:generateContent', '/v1beta/models/..%2f..%2fadmin:generateContent'],
    ...['/v1beta/models/%2e%2e/x:generateContent', '/v1beta/models/gpt-4o?x=1#y:generateContent'],
    ...['/v1beta/models/gpt-4o%3fkey=1:generateContent', '/v1beta/models/gpt-4o%23:generateContent'],
    ...['/v1beta/models//gpt-4o:generateContent', '/v1beta/models/gpt-4o:deleteEverything'],
    ...['/v1/engines/../../x/embeddings', '/v1/engines/%2e%2e%2fx/embeddings', '/v1/responses/../files'],
    ...['/v1/chat/completions/../../files', '/v1/chat/completions;x=1', '/v1/chat/completions%00'],
    ...['/V1/CHAT/COMPLETIONS', '/v1//chat//completions', '/v1/./chat/completions', '/v1/chat%2fcompletions'],
    ...['http://elsewhere.example/v1/files', '//elsewhere.example/v1/files', '/v1/files', '/v1/proxy/x'],
  ];
  for (const target of odd) {
    upstream.requests.length = 0;
    const body = JSON.stringify({ ...chatRequest, contents, input: 'hi' });
    const head = [
      `POST ${target} HTTP/1.1`,
      'Host: elsewhere.example',
      `Authorization: Bearer ${harness.key}`,
      'Content-Type: application/json',
      'Connection: close',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    const status = await rawStatus({ port: Number(port), host: hostname }, `${head.join('\r\n')}\r\n\r\n${body}`);
    assert.ok((status >= 400 && status < 500) || status === 501, `${target}: ${status}`);
    assert.equal(
      upstream.requests.map(({ url }) => url),
      [],
      target,
    );
  }
  for (const model of ['../x', 'a//b', 'a?b', 'a#b', 'a\\b', '%2e%2e/x', 'a%2Fb', 'a%5cb', 'gpt-4-gizmo-\ud800']) {
    const answer = await harness.post('/v1/chat/completions', { ...chatRequest, model });
    assert.equal([answer.status, /model must be a string/.test(await answer.text())], [400, true], model);
  }
});

/** Status of a request that is sent as it is; `fetch` would tidy its path up. */
function rawStatus(to: { port: number; host: string }, request: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(to, () => socket.write(request));
    socket.on('data', (part) => {
      answer += part.toString('latin1');
    });
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)));
    socket.on('error', reject);
  });
}

/** Every place from which a key is taken, as the headers or the query of a call. */
const places: readonly (readonly [
  string,
  string,
  (key: string) => { headers?: Record<string, string>; query?: string },
])[] = [
  ['Authorization', '/v1/chat/completions', (key) => ({ headers: { authorization: `Bearer sk-${key}` } })],
  ['Authorization without scheme', '/v1/chat/completions', (key) => ({ headers: { authorization: key } })],
  ['x-api-key', '/v1/messages', (key) => ({ headers: { 'x-api-key': key } })],
  ['api-key', '/v1/chat/completions', (key) => ({ headers: { 'api-key': key } })],
  ['x-goog-api-key', '/v1beta/models/gpt-4o:generateContent', (key) => ({ headers: { 'x-goog-api-key': key } })],
  ['?key=', '/v1beta/models/gpt-4o:generateContent', (key) => ({ query: `?key=${key}` })],
];

const restrictions: readonly (readonly [string, Partial<HarnessOptions>, number])[] = [
  ['a disabled key', { token: { status: 2 } }, 401],
  ['a key past its time', { token: { expiredTime: 1000 } }, 401],
  ['a foreign address', { token: { allowIps: '10.0.0.0/8' } }, 403],
  ['a model outside its limits', { token: { modelLimitsEnabled: true, modelLimits: 'gpt-4o-mini' } }, 403],
  ['a group that the user may not use', { token: { group: 'secret' } }, 403],
  ['a disabled user', { user: { status: 2 } }, 403],
  ['no quota left', { token: { unlimitedQuota: false } }, 401],
];

function send(harness: GatewayHarness, [, path, presented]: (typeof places)[number], key: string): Promise<Response> {
  const { headers = {}, query = '' } = presented(key);
  return fetch(`${harness.url}${path}${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...chatRequest, max_tokens: 5, contents }),
  });
}

/** Status of an upgrade that brings its keys in subprotocols, as browsers must. */
function statusOfUpgrade(harness: GatewayHarness, ...keys: readonly string[]): Promise<number> {
  const { port, hostname } = new URL(harness.url);
  const head = [
    'GET /v1/realtime?model=gpt-4o HTTP/1.1',
    'Host: x',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    `Sec-WebSocket-Protocol: ${['realtime', ...keys.map((key) => `openai-insecure-api-key.${key}`)].join(', ')}`,
  ];
  return rawStatus({ port: Number(port), host: hostname }, `${head.join('\r\n')}\r\n\r\n`);
}

for (const [what, options, status] of restrictions) {
  hostile(`are refused for ${what}, wherever the key comes from (S31)`, async ({ start, upstream }) => {
    const harness = await start(options);
    for (const place of places) {
      assert.is((await send(harness, place, harness.key)).status, status, place[0]);
    }
    assert.is(await statusOfUpgrade(harness, harness.key), status, 'Sec-WebSocket-Protocol');
    assert.is(upstream.requests.length, 0);
  });
}

hostile('are served wherever the key comes from, and refused with two (S31)', async ({ start }) => {
  const harness = await start();
  for (const place of places) {
    assert.is((await send(harness, place, harness.key)).status, 200, place[0]);
    const { headers = {}, query = '' } = place[2](harness.key);
    const other =
      'authorization' in headers ? { 'x-api-key': 'K'.repeat(48) } : { authorization: `Bearer ${'K'.repeat(48)}` };
    const response = await fetch(`${harness.url}${place[1]}${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers, ...other },
      body: JSON.stringify({ ...chatRequest, max_tokens: 5, contents }),
    });
    assert.is(response.status, 400, `${place[0]} and another`);
  }
  const other = 'K'.repeat(48);
  assert.is(await statusOfUpgrade(harness, harness.key, other), 400, 'two subprotocols');
  const twice = await harness.post(`/v1beta/models/gpt-4o:generateContent?key=${harness.key}&key=${other}`, {
    contents,
  });
  assert.is(twice.status, 400, '?key= twice');
});

hostile(
  'with a key that differs in one character are strangers, also right after the good one (S19)',
  async ({ start }) => {
    const harness = await start();
    const { key } = harness;
    const call = (text: string) =>
      fetch(`${harness.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${text}` },
        body: JSON.stringify(chatRequest),
      }).then((response) => response.status);
    assert.is(await call(key), 200);
    const swap = (character: string | undefined) => (character === 'A' ? 'B' : 'A');
    for (let at = 0; at < key.length; at += 1) {
      assert.is(await call(`${key.slice(0, at)}${swap(key[at])}${key.slice(at + 1)}`), 401, `character ${at}`);
    }
    for (const text of [
      key.slice(0, 47),
      `${key}A`,
      key.toLowerCase() === key ? key.toUpperCase() : key.toLowerCase(),
    ]) {
      assert.is(await call(text), 401, text);
    }
    assert.is(await call(key), 200);
  },
);

hostile.run();
