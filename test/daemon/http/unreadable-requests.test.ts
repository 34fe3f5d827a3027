/** What clients are told whose bytes Node's parser gives up: over real sockets, since no client library sends these. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Language } from '../../../daemon/contract/error-codes.ts';
import { serverOptions } from '../../../daemon/http/server-options.ts';
import { answerUnreadable, serveHosted } from '../../../daemon/http/unreadable-requests.ts';

const test = suite('http/unreadable-requests');

interface Talk {
  readonly language?: Language;
  readonly listener?: RequestListener;
  /** Sent once something was answered. */
  readonly afterwards?: string;
}

/** Everything that a server of ours says on a connection that brings these bytes, until it ends it. */
async function saidTo(bytes: string, talk: Talk = {}): Promise<string> {
  const { language = 'en', listener = () => undefined, afterwards } = talk;
  const quick = { requestTimeout: 300, headersTimeout: 300, connectionsCheckingInterval: 50 };
  const server = createServer({ ...serverOptions, ...quick });
  serveHosted(server, listener, () => language);
  answerUnreadable(server, () => language);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const socket = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1');
  let said = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    if (said === '' && afterwards !== undefined) socket.write(afterwards, 'latin1');
    said += text;
  });
  socket.on('error', () => undefined).write(bytes, 'latin1');
  await once(socket, 'close');
  server.close();
  return said;
}

interface Told {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly error: { readonly message: string; readonly type: string; readonly param: null; readonly code: string };
}

function told(said: string): Told {
  const [head = '', body = ''] = said.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const headers = new Map(fields.map((field) => field.split(': ') as [string, string]));
  assert.is(Number(headers.get('Content-Length')), Buffer.byteLength(body));
  return { status: Number(line.split(' ')[1]), headers, error: JSON.parse(body).error };
}

const head = 'Host: x\r\n\r\n';

test('a request that is no HTTP is refused with a code, the rule it broke and its id', async () => {
  const { status, headers, error } = told(await saidTo(`GET /v1/models HTTP/1.1\r\nBad Header: x\r\n${head}`));
  assert.is(status, 400);
  assert.is(headers.get('Connection'), 'close');
  const id = headers.get('X-Request-Id') ?? '';
  assert.match(id, /^\d{23}\w{8}$/);
  assert.equal(error, {
    message: `This is no valid HTTP/1.1 request: Invalid header token (request id: ${id})`,
    type: 'tollgate_error',
    param: null,
    code: 'request_unreadable',
  });
});

for (const [what, bytes] of [
  ['a space in the address', `GET /v1/mo dels HTTP/1.1\r\n${head}`],
  ['HTTP/2 without asking', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['two lengths', `POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n${head}`],
] as const) {
  test(`so is ${what}`, async () => {
    const { status, error } = told(await saidTo(bytes));
    assert.is(status, 400);
    assert.is(error.code, 'request_unreadable');
  });
}

test('so is a request that names no host, but of HTTP/1.0', async () => {
  const listener: RequestListener = (_request, response) => void response.end('served');
  const { status, headers, error } = told(await saidTo('GET / HTTP/1.1\r\nConnection: close\r\n\r\n', { listener }));
  assert.equal([status, error.code], [400, 'request_unreadable']);
  assert.match(headers.get('X-Request-Id') ?? '', /^\d{23}\w{8}$/);
  assert.match(await saidTo('GET / HTTP/1.0\r\n\r\n', { listener }), /^HTTP\/1\.1 200 OK[\s\S]*served$/);
});

test('so is one that names two hosts, of which a proxy may go by the other', async () => {
  const listener: RequestListener = (_request, response) => void response.end('served');
  for (const version of ['1.1', '1.0']) {
    const { status, error } = told(await saidTo(`GET / HTTP/${version}\r\nHost: y\r\n${head}`, { listener }));
    assert.equal([status, error.code], [400, 'request_unreadable']);
  }
});

test('a request that expects what nobody knows is served', async () => {
  const listener: RequestListener = (_request, response) => void response.end('served');
  const said = await saidTo(`GET / HTTP/1.1\r\nExpect: x\r\nConnection: close\r\n${head}`, { listener });
  assert.match(said, /^HTTP\/1\.1 200 OK[\s\S]*served/);
});

test('headers that are too large are told so, with the size and the way out', async () => {
  const { status, error } = told(await saidTo(`GET / HTTP/1.1\r\nX: ${'a'.repeat(70_000)}\r\n${head}`));
  assert.is(status, 431);
  assert.is(error.code, 'request_headers_too_large');
  assert.match(error.message, /larger than 64 kB/);
});

test('a request that never becomes whole is told so', async () => {
  const { status, error } = told(await saidTo('GET / HTTP/1.1\r\nHost: x\r\n'));
  assert.is(status, 408);
  assert.is(error.code, 'request_timeout');
});

test('it is told in the language of the site', async () => {
  const { error } = told(await saidTo(`GET /a b HTTP/1.1\r\n${head}`, { language: 'zh' }));
  assert.match(error.message, /^不是合法的 HTTP\/1\.1 请求：/);
});

test('an answer that has begun is cut off, and nothing is written into it', async () => {
  const listener: RequestListener = (request, response) => {
    request.on('error', () => undefined).resume();
    response.writeHead(200).write('begun');
  };
  const chunked = `POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n${head}`;
  const said = await saidTo(chunked, { listener, afterwards: 'no chunk\r\n' });
  assert.match(said, /^HTTP\/1\.1 200 OK/);
  assert.match(said, /begun\r\n$/);
});

test.run();
