import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AddressGuard, type ResolveCallback } from '../../../daemon/upstream/address-guard.ts';
import { DownloadFailed, MediaDownloads, type MediaDownloadsConfig } from '../../../daemon/upstream/media-download.ts';
import { type Answer, type FakeUpstream, type Script, startFakeUpstream } from '../../support/fake-upstream.ts';
import { someTurns, until } from '../../support/until.ts';

interface World {
  server: FakeUpstream;
}

const test = suite<World>('upstream/media-download');
const never = new AbortController().signal;

test.before(async (world) => {
  world.server = await startFakeUpstream();
});

test.before.each(({ server }) => {
  server.requests.length = 0;
});

test.after(({ server }) => server.close());

/** Hosts of a made-up world; all others do not exist. */
const hosts: Readonly<Record<string, string>> = { 'public.test': '1.1.1.1', 'inner.test': '10.0.0.7' };

function resolve(host: string, answer: ResolveCallback): void {
  const address = hosts[host];
  if (address === undefined) answer(Object.assign(new Error('no such host'), { code: 'ENOTFOUND' }), []);
  else answer(null, [{ address, family: 4 }]);
}

function downloads(over: Partial<MediaDownloadsConfig> & { allow?: readonly string[] } = {}): MediaDownloads {
  const { allow = ['127.0.0.1'], ...rest } = over;
  return new MediaDownloads({
    guard: new AddressGuard({ allow, channelAllowPrivate: false, resolve }),
    maxBytes: 1000,
    allowHttp: true,
    worker: () => ({ url: '', key: '' }),
    userAgent: 'Tollgate/test',
    ...rest,
  });
}

async function reasonOf(fetching: Promise<unknown>): Promise<string> {
  try {
    await fetching;
    return 'fetched';
  } catch (error) {
    if (error instanceof DownloadFailed) return error.reason;
    throw error;
  }
}

function served(body: string, headers: Record<string, string> = {}): Answer {
  return { headers: { 'content-type': 'image/png; x=y', ...headers }, chunks: [body] };
}

test('fetches a file with no credentials and its own name', async ({ server }) => {
  server.script(served('bytes'));
  const { bytes, contentType } = await downloads().fetch(`${server.url}/a.png?b=c`, never);
  assert.equal([bytes.toString(), contentType], ['bytes', 'image/png']);
  const [request] = server.requests;
  assert.equal([request?.method, request?.url], ['GET', '/a.png?b=c']);
  assert.is(request?.headers['user-agent'], 'Tollgate/test');
  assert.is(request?.headers.authorization, undefined);
});

test('refuses targets by scheme, port, credentials and address, and asks none of them', async ({ server }) => {
  const port = server.url.split(':').pop();
  const guarded = downloads({ allow: [] });
  for (const url of [
    `http://127.0.0.1:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://2130706433:${port}/`,
    'http://169.254.169.254/latest/meta-data',
    'http://user:pw@public.test/',
    'http://public.test:22/',
    'ftp://public.test/',
    'not an address',
  ]) {
    assert.is(await reasonOf(guarded.fetch(url, never)), 'the address is not allowed', url);
  }
  assert.is(await reasonOf(downloads({ allowHttp: false }).fetch(server.url, never)), 'the address is not allowed');
  assert.is(server.requests.length, 0);
});

test('follows three redirects, checks each, and no fourth', async ({ server }) => {
  const chain =
    (length: number): Script =>
    ({ url }) => {
      const at = Number(url.slice(1));
      return at < length ? { status: 302, headers: { location: `/${at + 1}` } } : served('end');
    };
  server.script(chain(3));
  assert.is((await downloads().fetch(`${server.url}/0`, never)).bytes.toString(), 'end');
  server.script(chain(4));
  assert.is(await reasonOf(downloads().fetch(`${server.url}/0`, never)), 'it was redirected too often');
  for (const location of ['http://10.0.0.1/', 'file:///etc/passwd', 'http://127.0.0.2:1/']) {
    server.script({ status: 302, headers: { location } });
    assert.is(await reasonOf(downloads().fetch(`${server.url}/0`, never)), 'the address is not allowed', location);
  }
});

test('tells a name that leads inside as one that leads nowhere, so that nobody learns the names of a network', async ({
  server,
}) => {
  const nowhere = await reasonOf(downloads().fetch('http://nowhere.test/', never));
  assert.is(nowhere, 'the address cannot be reached');
  assert.is(await reasonOf(downloads().fetch('http://inner.test/', never)), nowhere);
  server.script({ status: 302, headers: { location: 'http://inner.test/' } });
  assert.is(await reasonOf(downloads().fetch(`${server.url}/0`, never)), nowhere);
  const worker = () => ({ url: server.url, key: 'w-key' });
  assert.is(await reasonOf(downloads({ worker }).fetch('https://inner.test/', never)), nowhere);
});

test('stops reading at the limit, announced or not', async ({ server }) => {
  server.script({ chunks: ['x'.repeat(600), 'x'.repeat(600)], end: 'hang' });
  assert.is(await reasonOf(downloads().fetch(server.url, never)), 'it is too large');
  server.script(served('x', { 'content-length': '5000' }));
  assert.is(await reasonOf(downloads().fetch(server.url, never)), 'it is too large');
});

test('tells apart a server that refuses, one that is silent, one that is gone and a caller that leaves', async ({
  server,
}) => {
  server.script({ status: 404, chunks: ['no'] });
  assert.is(await reasonOf(downloads().fetch(server.url, never)), 'its server refused');
  server.script(served('squeezed', { 'content-encoding': 'gzip' }));
  assert.is(await reasonOf(downloads().fetch(server.url, never)), 'its server refused');
  server.script({ headersAfterMs: 600 });
  assert.is(await reasonOf(downloads({ totalMs: 80 }).fetch(server.url, never)), 'it took too long');
  const leaving = new AbortController();
  const fetching = reasonOf(downloads().fetch(server.url, leaving.signal));
  leaving.abort();
  assert.is(await fetching, 'it was called off');
  server.script({ end: 'reset', chunks: [] });
  assert.is(await reasonOf(downloads().fetch(server.url, never)), 'the address cannot be reached');
  assert.is(await reasonOf(downloads().fetch('http://nobody.test/', never)), 'the address cannot be reached');
});

test('lets no more through at once than the node may fetch, and nobody wait beyond its time', async ({ server }) => {
  let most = 0;
  server.script(async () => {
    most = Math.max(most, server.open());
    await until(() => most >= 2);
    await someTurns();
    return served('x');
  });
  const two = downloads({ atOnce: 2 });
  await Promise.all(Array.from({ length: 6 }, () => two.fetch(server.url, never)));
  assert.is(most, 2);
  const one = downloads({ atOnce: 1, totalMs: 400 });
  server.script({ headersAfterMs: 1500, chunks: ['x'] });
  const reasons = await Promise.all([1, 2].map(() => reasonOf(one.fetch(server.url, never))));
  assert.equal(reasons, ['it took too long', 'it took too long']);
  server.script(served('x'));
  await until(async () => (await reasonOf(one.fetch(server.url, never))) === 'fetched');
});

test('whoever has left waits for no place, and whoever leaves gives up waiting for one', async ({ server }) => {
  const one = downloads({ atOnce: 1 });
  const first = new AbortController();
  server.script({ headersAfterMs: 60_000, chunks: ['x'] });
  const running = reasonOf(one.fetch(server.url, first.signal));
  await until(() => server.requests.length === 1);
  assert.is(await reasonOf(one.fetch(server.url, AbortSignal.abort())), 'it was called off');
  const leaving = new AbortController();
  const waiting = reasonOf(one.fetch(server.url, leaving.signal));
  await someTurns();
  leaving.abort();
  assert.is(await waiting, 'it was called off');
  first.abort();
  assert.is(await running, 'it was called off');
  server.script(served('x'));
  assert.is(await reasonOf(one.fetch(server.url, never)), 'fetched');
});

test('asks the worker for secure addresses that the guard lets pass, and only for those', async ({ server }) => {
  server.script(served('from the worker'));
  const worker = () => ({ url: server.url, key: 'w-key' });
  const asked = downloads({ worker });
  assert.is((await asked.fetch('https://public.test/a.png', never)).bytes.toString(), 'from the worker');
  const [request] = server.requests;
  assert.equal([request?.method, request?.url], ['POST', '/']);
  const wanted = { url: 'https://public.test/a.png', key: 'w-key', method: 'GET', headers: {} };
  assert.equal(JSON.parse(request?.body.toString() ?? ''), wanted);
  for (const url of ['http://public.test/', 'https://10.0.0.1/']) {
    assert.is(await reasonOf(asked.fetch(url, never)), 'the address is not allowed', url);
  }
  assert.is(server.requests.length, 1);
});

test('whoever takes a file and never comes back for more is left when its time is over, or it is called off', async ({
  server,
}) => {
  server.script({ chunks: ['a', 'b'] });
  const taker = { begin: () => true, take: () => new Promise<never>(() => undefined) };
  const url = `${server.url}/x`;
  assert.is(await reasonOf(downloads({ totalMs: 50 }).stream(url, never, taker)), 'it took too long');
  const leaving = new AbortController();
  const called = reasonOf(downloads().stream(url, leaving.signal, taker));
  await until(() => server.requests.length === 2);
  await someTurns();
  leaving.abort();
  assert.is(await called, 'it was called off');
});

test.run();
