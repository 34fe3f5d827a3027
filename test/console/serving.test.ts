/**
 * How a daemon serves the built console to a browser.
 * Runs once: no answer here comes out of the database.
 */
import { type IncomingHttpHeaders, request as rawRequest } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';

const serving = suite('the console as served');

let daemon: TestDaemon;

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A request with exactly these headers; what comes is not unpacked. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const { hostname, port } = new URL(daemon.url);
  return new Promise((resolve, reject) => {
    const asked = rawRequest({ hostname, port, path, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }),
      );
    });
    asked.on('error', reject);
    asked.end();
  });
}

async function assetsOfDocument(): Promise<string[]> {
  const { body } = await ask('/');
  return [...body.toString().matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
}

serving.before(async () => {
  daemon = await startTestDaemon();
});

serving.after(() => daemon.stop());

serving('answers the address of every page with one document that is asked about again', async () => {
  const root = await ask('/');
  assert.match(root.body.toString(), '<div id="root">');
  for (const path of ['/login', '/channel/edit/7', '/user/reset?token=x', '/oauth/github?code=1', '/no/such/page']) {
    const { status, headers, body } = await ask(path);
    assert.is(status, 200, path);
    assert.is(headers['content-type'], 'text/html; charset=utf-8', path);
    assert.is(headers['cache-control'], 'no-cache', path);
    assert.is(headers.vary, 'Accept-Encoding, Accept-Language', path);
    assert.ok(body.equals(root.body), path);
  }
});

serving('gives documents the headers that keep a browser safe', async () => {
  const { headers } = await ask('/login');
  const policy = String(headers['content-security-policy']);
  assert.match(policy, "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; ");
  assert.match(policy, "connect-src 'self'; frame-src 'self'; form-action 'self'; frame-ancestors 'self'; ");
  assert.is(headers['x-content-type-options'], 'nosniff');
  assert.is(headers['referrer-policy'], 'same-origin');
  assert.is(headers['permissions-policy'], 'camera=(), geolocation=(), microphone=()');
  const settings = await ask('/setting?tab=system');
  assert.match(String(settings.headers['content-security-policy']), "connect-src 'self' https: http:;");
});

serving('opens the policy for what is switched on, while it is on', async () => {
  await daemon.root.options.set({ key: 'Chats', value: '[{"Chat":"https://chat.example/#/?key={key}"}]' });
  const policy = async () => String((await ask('/')).headers['content-security-policy']);
  assert.match(await policy(), "frame-src 'self' https://chat.example;");
  assert.match(String((await ask('/')).headers['permissions-policy']), 'microphone=(self "https://chat.example")');
  await daemon.root.options.set({ key: 'Chats', value: '[]' });
  assert.match(await policy(), "frame-src 'self';");
});

serving('announces the first files, each of which is there', async () => {
  const links = String((await ask('/')).headers.link).split(', ');
  assert.ok(links.some((link) => /^<\/assets\/[^>]+\.css>; rel=preload; as=style/.test(link)));
  for (const link of links) {
    const path = /^<([^>]+)>/.exec(link)?.[1] ?? '';
    assert.is((await ask(path)).status, 200, link);
  }
  const inLanguage = async (language: string) => (await ask('/', { 'Accept-Language': language })).headers.link;
  assert.is.not(await inLanguage('en-GB, zh;q=0.5'), await inLanguage('zh-CN'));
});

serving('answers hashed files for a year, in the form the browser takes', async () => {
  const assets = await assetsOfDocument();
  assert.ok(assets.length >= 3);
  for (const path of assets) {
    const plain = await ask(path);
    assert.is(plain.headers['cache-control'], 'public, max-age=31536000, immutable', path);
    assert.is(plain.headers.vary, 'Accept-Encoding', path);
    assert.is(plain.headers['content-encoding'], undefined, path);
    const brotli = await ask(path, { 'Accept-Encoding': 'gzip, deflate, br, zstd' });
    const zipped = await ask(path, { 'Accept-Encoding': 'gzip' });
    if (plain.body.length < 300) continue;
    assert.is(brotli.headers['content-encoding'], 'br', path);
    assert.ok(brotliDecompressSync(brotli.body).equals(plain.body), path);
    assert.is(zipped.headers['content-encoding'], 'gzip', path);
    assert.ok(gunzipSync(zipped.body).equals(plain.body), path);
    assert.ok(brotli.body.length <= zipped.body.length && zipped.body.length < plain.body.length, path);
    assert.is(new Set([plain, brotli, zipped].map(({ headers }) => headers.etag)).size, 3, path);
  }
  const refused = await ask(assets[0] ?? '', { 'Accept-Encoding': 'br;q=0, gzip;q=0' });
  assert.is(refused.headers['content-encoding'], undefined);
});

serving('says that a file is still the same, without sending it', async () => {
  for (const path of ['/', '/logo.svg', ...(await assetsOfDocument())]) {
    const headers = { 'Accept-Encoding': 'br' };
    const { etag } = (await ask(path, headers)).headers;
    assert.match(String(etag), /^"[\w-]+"$/, path);
    const again = await ask(path, { ...headers, 'If-None-Match': `"other", ${etag}` });
    assert.equal([again.status, again.body.length, again.headers.etag], [304, 0, etag], path);
    assert.is((await ask(path, { ...headers, 'If-None-Match': '"other"' })).status, 200, path);
  }
});

serving('answers HEAD as GET, without the body', async () => {
  for (const path of ['/', '/login', (await assetsOfDocument())[0] ?? '']) {
    const whole = await ask(path);
    const head = await ask(path, {}, 'HEAD');
    assert.equal([head.status, head.body.length], [200, 0], path);
    for (const name of ['content-length', 'content-type', 'etag', 'cache-control', 'link']) {
      assert.equal(head.headers[name], whole.headers[name], `${path} ${name}`);
    }
    assert.is(Number(whole.headers['content-length']), whole.body.length);
  }
});

serving('never answers a document for a file, a call or a change', async () => {
  const paths = ['/assets/index-00000000.js', '/assets/', '/favicon.ico', '/.manifest.json', '/assets/x.js.br'];
  const calls = ['/api/none', '/api', '/v1/none', '/v1beta/none', '/mj/none', '/suno/none'];
  for (const path of [...paths, ...calls]) {
    const { status, headers } = await ask(path);
    assert.ok(status >= 400 && status !== 500, `${path}: ${status}`);
    assert.match(String(headers['content-type']), 'application/json', path);
  }
  assert.is((await ask('/login', {}, 'POST')).status, 404);
});

serving.run();
