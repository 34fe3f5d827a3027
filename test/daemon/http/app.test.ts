import { type IncomingHttpHeaders, request as rawRequest } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type HttpHarness, startHttpHarness, type TestUser } from '../../support/http-harness.ts';

const app = suite('the HTTP front');

let harness: HttpHarness;
let root: TestUser;

app.before(async () => {
  harness = await startHttpHarness({ trustedProxies: ['127.0.0.1'] });
  root = await harness.setup();
});

app.after(() => harness.close());

interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly body: string;
}

/** A request whose target is sent as written. */
function raw(target: string, headers: Record<string, string> = {}): Promise<RawAnswer> {
  const { hostname, port } = new URL(harness.url);
  return new Promise((resolve, reject) => {
    const request = rawRequest({ hostname, port, path: target, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, body: bytes.toString() });
      });
    });
    request.on('error', reject);
    request.end();
  });
}

app('gives every answer a request id of its own and the security headers', async () => {
  const seen = new Set<string>();
  for (const path of ['/api/status', '/api/nothing', '/', '/nothing', '/healthz', '/api/user/self']) {
    const { headers } = await harness.request(path, { headers: { 'X-Request-Id': 'mine' } });
    const id = headers.get('x-request-id') ?? '';
    assert.match(id, /^\d{23}[A-Za-z0-9]{8}$/, path);
    assert.is(headers.get('x-oneapi-request-id'), id);
    assert.not(seen.has(id));
    seen.add(id);
    assert.match(headers.get('content-security-policy') ?? '', "frame-ancestors 'self'");
    assert.not.match(headers.get('content-security-policy') ?? '', /script-src[^;]*unsafe/);
    assert.is(headers.get('x-content-type-options'), 'nosniff');
    assert.is(headers.get('referrer-policy'), 'same-origin');
    assert.is(headers.get('access-control-allow-origin'), null);
  }
});

app('compresses large answers of the API for those who take that, and small ones never', async () => {
  const plain = await raw('/api/openapi.json');
  assert.is(plain.headers['content-encoding'], undefined);
  assert.is(plain.headers.vary, 'Accept-Encoding');
  const packed = await raw('/api/openapi.json', { 'accept-encoding': 'gzip, deflate, br' });
  assert.is(packed.headers['content-encoding'], 'gzip');
  assert.is(packed.headers['content-type'], 'application/json; charset=utf-8');
  assert.is(packed.headers['content-length'], String(packed.bytes.length));
  assert.ok(packed.bytes.length < plain.bytes.length / 3, `${packed.bytes.length} of ${plain.bytes.length}`);
  assert.is(gunzipSync(packed.bytes).toString(), plain.body);
  const refused = await raw('/api/openapi.json', { 'accept-encoding': 'gzip;q=0' });
  assert.is(refused.headers['content-encoding'], undefined);
  const small = await raw('/api/status', { 'accept-encoding': 'gzip' });
  assert.is(small.headers['content-encoding'], undefined);
});

app('answers an unknown path below /api without a top-level code (K22)', async () => {
  for (const path of ['/api/v1/auth/me', '/api/user/info', '/api', '/api/']) {
    const response = await harness.request(path);
    assert.is(response.status, 404, path);
    assert.equal(await response.json(), {
      error: { message: `Invalid URL (GET ${path})`, type: 'invalid_request_error', param: '', code: '' },
    });
  }
});

app('answers a known path under another method with 405 and what is allowed', async () => {
  const response = await harness.request('/api/status', { method: 'DELETE' });
  assert.is(response.status, 405);
  assert.is(response.headers.get('allow'), 'GET, HEAD');
  assert.is((await response.json()).code, 'method_not_allowed');
  assert.is((await harness.request('/api/status', { method: 'OPTIONS' })).status, 405);
  assert.is((await harness.request('/api/status', { method: 'PATCH' })).status, 405);
});

app('serves no odd form of a path, and never takes the Host header for anything (S18)', async () => {
  for (const target of [
    '//api/status',
    '/api//status',
    '/api/%73tatus',
    '/api/status;x',
    '/api/../api/status',
    '/API/status',
  ]) {
    assert.is((await raw(target)).status, 404, target);
  }
  assert.is((await raw('http://other.example/api/status')).status, 404);
  for (const host of ['evil.example', 'no host at all', '[', 'a:b:c', '']) {
    assert.is((await raw('/api/status?x=1', { Host: host })).status, 200, host);
  }
});

app('answers HEAD like GET without a body', async () => {
  const response = await harness.request('/api/status', { method: 'HEAD' });
  assert.is(response.status, 200);
  assert.is(await response.text(), '');
  assert.is((await harness.request('/api/hello', { method: 'HEAD' })).status, 200);
});

app('speaks the language of the query, else of the header, else Chinese', async () => {
  const say = async (path: string, header?: string): Promise<string> => {
    const response = await harness.request(
      path,
      header === undefined ? {} : { headers: { 'Accept-Language': header } },
    );
    return (await response.json()).message;
  };
  assert.is(await say('/api/user/self'), '请先登录');
  assert.is(await say('/api/user/self', 'en-US,en;q=0.9'), 'Please sign in first');
  assert.is(await say('/api/user/self', 'fr, en;q=0.5'), 'Please sign in first');
  assert.is(await say('/api/user/self?lang=en', 'zh'), 'Please sign in first');
});

app('masks what is secret in the log and keeps the client id it was sent', async () => {
  harness.access.length = 0;
  await harness.request('/api/status?key=sk-1&token=t&turnstile=x&code=c&hash=h&q=v', {
    headers: { 'X-Request-Id': 'client-1' },
  });
  assert.is(harness.access[0]?.url, '/api/status?key=***&token=***&turnstile=***&code=***&hash=***&q=v');
  await harness.request('/api/status?keyword=9f2c1d.Zx81mPqrs7Yt');
  await harness.request('/api/status?keyword=alice%20b');
  const searches = harness.access.slice(1).map(({ url }) => url);
  assert.equal(searches, ['/api/status?keyword=***', '/api/status?keyword=alice%20b']);
  assert.is(harness.access[0]?.clientRequestId, 'client-1');
});

app('answers and logs a query that is cut in the middle of a character', async () => {
  harness.access.length = 0;
  const [name, value] = ['n'.repeat(99), 'v'.repeat(199)];
  const { status } = await harness.request(`/api/status?${name}%F0%9F%98%80=${value}%F0%9F%98%80`);
  assert.equal([status, harness.access[0]?.url], [200, `/api/status?${name}=${value}`]);
});

app('logs the address that the trusted proxy forwards, and shows it to its owner', async () => {
  const response = await harness.request('/api/user/self', {
    as: root,
    headers: { 'X-Forwarded-For': '198.51.100.9' },
  });
  assert.is((await response.json()).data.client_ip, '198.51.100.9');
  assert.is(harness.access.at(-1)?.clientAddress, '198.51.100.9');
});

app('answers health checks as text and without a log line', async () => {
  harness.access.length = 0;
  for (const path of ['/healthz', '/readyz', '/healthz/']) {
    const response = await harness.request(path);
    assert.is(response.status, 200, path);
    assert.match(response.headers.get('content-type') ?? '', 'text/plain');
  }
  assert.is(harness.access.length, 0);
});

app('is alive but not ready while it stops, and while the database takes no writes', async () => {
  let serving = true;
  let writing = true;
  const node = await startHttpHarness({ isServing: () => serving, takesWrites: () => writing });
  const said = async (path: string) => {
    const answer = await node.request(path);
    return `${answer.status} ${await answer.text()}`;
  };
  try {
    assert.is(await said('/readyz'), '200 ready');
    writing = false;
    assert.is(await said('/readyz'), '503 database takes no writes');
    serving = false;
    assert.is(await said('/readyz'), '503 not serving');
    assert.is(await said('/healthz'), '200 ok');
  } finally {
    await node.close();
  }
});

app('says in one line that the console has not been built', async () => {
  const english = await (await harness.request('/', { headers: { 'Accept-Language': 'en' } })).text();
  assert.match(english, 'has not been built');
  assert.match(await (await harness.request('/')).text(), '尚未构建');
  assert.is((await harness.request('/nothing-here')).status, 404);
  assert.is((await harness.request('/', { method: 'POST' })).status, 404);
});

app(
  'sends visitors of a node without a console to the configured address, with nothing of their own in it',
  async () => {
    const node = await startHttpHarness({ pagesElsewhere: 'https://console.example/' });
    try {
      const response = await node.request('/login?returnTo=//evil.example');
      assert.equal([response.status, response.headers.get('location')], [301, 'https://console.example/login']);
      assert.is((await node.request('/api/status')).status, 200);
      assert.is((await node.request('//evil.example')).status, 404);
    } finally {
      await node.close();
    }
  },
);

app('takes JSON alone from a browser with a cookie (1.1 rule 6)', async () => {
  const body = 'username=x';
  const form = { method: 'PUT', body, as: root, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } };
  const response = await harness.request('/api/user/self', form);
  assert.is(response.status, 400);
  assert.is((await response.json()).code, 'json_type_required');
  const empty = await harness.request('/api/user/token', { method: 'POST', as: root });
  assert.is((await empty.json()).success, true);
});

app('says nothing of an unexpected failure', async () => {
  const { database } = harness.world;
  const find = database.stores.setups.find;
  database.stores.setups.find = () => Promise.reject(new Error('SELECT secret FROM users'));
  try {
    const response = await harness.request('/api/setup', { headers: { 'Accept-Language': 'en' } });
    assert.is(response.status, 500);
    assert.equal(await response.json(), { success: false, message: 'Internal server error', code: 'internal_error' });
  } finally {
    database.stores.setups.find = find;
  }
});

app.run();
