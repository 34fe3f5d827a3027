/** What the relay reads of a request before its body: path, method, headers sent twice, the client's own id. */
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type HarnessStarts, startsHarnesses } from '../support/harness-starts.ts';
import { chatRequest } from './wire.ts';

const test = suite<HarnessStarts>('relay: request line and headers');

startsHarnesses(test);

/** Surfaces that no version serves (relay.md 2.6): their answer is quoted there to the letter. */
const NOT_IMPLEMENTED =
  /^\{"error":\{"message":"API not implemented","type":"tollgate_error","param":"","code":"api_not_implemented"\}\}$/;
const family = [
  ...['files', 'files/file-1', 'files/file-1/content', 'fine-tunes', 'fine-tunes/ft-1', 'fine-tunes/ft-1/cancel'],
  ...['fine-tunes/ft-1/events', 'fine_tuning/jobs', 'assistants', 'assistants/asst_1', 'threads', 'threads/t/runs'],
  ...['batches', 'batches/b/cancel', 'vector_stores', 'vector_stores/vs_1/search', 'uploads', 'uploads/u/parts'],
  ...['containers', 'containers/c/files', 'conversations', 'conversations/c/items', 'videos', 'videos/v'],
  ...['videos/v/content', 'videos/v/remix'],
];

const unserved: [request: string, status: number, body: RegExp][] = [
  ...['GET', 'POST', 'DELETE'].flatMap((method) =>
    family.map((path): [string, number, RegExp] => [`${method} /v1/${path}`, 501, NOT_IMPLEMENTED]),
  ),
  ['GET /hf/v1/videos/v/', 501, NOT_IMPLEMENTED],
  ['DELETE /v1/models/gpt-4o', 501, NOT_IMPLEMENTED],
  ['GET /v1/responses/resp_1', 501, NOT_IMPLEMENTED],
  ['POST /v1beta/models/veo-3:predictLongRunning', 501, /"status":"UNIMPLEMENTED"/],
  [
    'GET /v1/nothing',
    404,
    /^\{"error":\{"message":"Invalid URL \(GET \/v1\/nothing\)","type":"invalid_request_error","param":"","code":""\}\}$/,
  ],
  ['POST /chat/completions', 404, /the base URL must end in \/v1/],
  ['GET /models', 404, /the base URL must end in \/v1/],
  ['GET /v1/chat/completions', 405, /method_not_allowed/],
  ['PUT /v1/embeddings', 405, /method_not_allowed/],
  ['POST /v1//chat/completions', 404, /Invalid URL/],
  ['POST /v1/%2e%2e/chat/completions', 404, /Invalid URL/],
  ['POST /v1/chat;x/completions', 404, /Invalid URL/],
  ['POST /v1/messages/nothing', 404, /"type":"error"/],
  ['POST /v1beta/nothing', 404, /"status":"NOT_FOUND"/],
  ['POST /upload/v1beta/files', 501, /"status":"UNIMPLEMENTED"/],
];
test('answers what it does not serve without a key, and every answer has a request id', async ({ start }) => {
  const harness = await start();
  for (const [request, status, body] of unserved) {
    const [method, path] = request.split(' ');
    const answer = await raw(
      harness.url,
      `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    );
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `), request);
    assert.match(answer.slice(answer.indexOf('\r\n\r\n') + 4), body, request);
    assert.match(answer, /X-Request-Id: \d{23}\w{8}/);
    if (status === 405) assert.match(answer, /Allow: POST/);
  }
});

test('tells clients of Anthropic in their own form what is not served', async ({ start }) => {
  const harness = await start();
  for (const [path, status, type] of [
    ['/v1/files', 501, 'api_error'],
    ['/v1/skills', 404, 'not_found_error'],
  ] as const) {
    const answer = await fetch(harness.url + path, { headers: { 'anthropic-version': '2023-06-01' } });
    const { request_id, ...body } = Object(await answer.json());
    assert.is(answer.status, status);
    const message = status === 501 ? 'API not implemented' : `Invalid URL (GET ${path})`;
    assert.equal(body, { type: 'error', error: { type, message } });
    assert.is(request_id, answer.headers.get('x-request-id'));
  }
});

/** A request line as it stands: `fetch` would tidy it up. */
function raw(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('end', () => resolve(answer));
    socket.on('error', reject);
  });
}

test('refuses two different keys in one header sent twice, and takes the same key twice', async ({ start }) => {
  const harness = await start();
  const { key } = harness;
  const body = JSON.stringify(chatRequest);
  const ask = (...keys: string[]) =>
    raw(
      harness.url,
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${keys
        .map((each) => `Authorization: Bearer sk-${each}\r\n`)
        .join('')}\r\n${body}`,
    );
  assert.match(await ask(key, key), /^HTTP\/1\.1 200 /);
  const other = [...key].reverse().join('');
  for (const keys of [
    [key, other],
    [other, key],
  ]) {
    assert.match(await ask(...keys), /^HTTP\/1\.1 400 [\s\S]+"code":"access_denied"/);
  }
});

test('keeps a client’s own request id with the row, and only there', async ({ start }) => {
  const harness = await start();
  const sent = ['job-17/step 2', 'job-17', 'x'.repeat(129)];
  const headers: (string | null)[] = [];
  for (const id of sent) {
    const response = await harness.post('/v1/chat/completions', chatRequest, { headers: { 'x-request-id': id } });
    headers.push(response.headers.get('x-request-id'));
  }
  const rows = await harness.rows();
  assert.equal(
    rows.map(({ facts }) => facts.client_request_id),
    [undefined, 'job-17', undefined],
  );
  assert.equal(
    rows.map(({ requestId }) => requestId),
    headers,
  );
});

test('collapses leading slashes, takes one trailing slash and serves below /hf', async ({ start }) => {
  const harness = await start();
  for (const path of ['//v1/chat/completions', '/v1/chat/completions/', '/hf/v1/chat/completions']) {
    assert.is((await harness.post(path, chatRequest)).status, 200, path);
  }
});

test('answers a browser’s preflight without a key', async ({ start }) => {
  const harness = await start();
  const response = await fetch(`${harness.url}/v1/chat/completions`, {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example', 'access-control-request-headers': 'authorization,x-title' },
  });
  assert.is(response.status, 204);
  assert.is(response.headers.get('access-control-allow-origin'), '*');
  assert.is(response.headers.get('access-control-allow-headers'), 'authorization,x-title');
  assert.is(response.headers.get('access-control-max-age'), '43200');
});

test.run();
