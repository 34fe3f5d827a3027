/**
 * Every way out for an address that a user, an administrator or an upstream named, against every form of an address
 * that leads inside: written out, by name, by redirect, and by a name that changes between look-ups (S6, W29, W30).
 */
import type { LookupAddress } from 'node:dns';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { guardedFetch } from '../../../daemon/integrations/guarded-fetch.ts';
import { AddressGuard, type ResolveCallback } from '../../../daemon/upstream/address-guard.ts';
import { MediaDownloads } from '../../../daemon/upstream/media-download.ts';
import { Transport } from '../../../daemon/upstream/transport.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../../support/fake-upstream.ts';

const egress = suite('ways out');

/** Forms of hosts by the class that S6 names. */
const forms: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.1', '127.255.255.254', '[::1]', 'localhost', 'LOCALHOST.', 'sub.localhost'],
  'decimal, octal and hexadecimal': [
    ...['2130706433', '0177.0.0.1', '0x7f.0.0.1', '0x7f000001', '017700000001', '127.1', '127.0.1', '0'],
    ...['0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '１２７.０.０.１', '127。0。0。1'],
  ],
  'RFC 1918': ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
  'link-local': ['169.254.0.1', '169.254.169.254', '[fe80::1]', '[febf::1]'],
  '0.0.0.0/8': ['0.0.0.0', '0.1.2.3', '[::]'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  'multicast and broadcast': ['224.0.0.1', '239.255.255.255', '255.255.255.255', '[ff02::1]'],
  reserved: ['240.0.0.1', '192.0.0.1', '192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '[2001:db8::1]'],
  metadata: [
    ...['169.254.169.254', '100.100.100.200', '168.63.129.16', '192.0.0.192', '[fd00:ec2::254]', '[fd20:ce::254]'],
    ...['metadata.google.internal', 'METADATA.google.internal.', 'metadata', 'instance-data'],
  ],
  'IPv4-mapped': [
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:a9fe:a9fe]',
    '[::ffff:0:10.0.0.1]',
    '[::127.0.0.1]',
  ],
  '6to4': ['[2002:7f00:1::]', '[2002:a00:1::1]', '[2002:a9fe:a9fe::]'],
  NAT64: ['[64:ff9b::7f00:1]', '[64:ff9b::10.0.0.1]', '[64:ff9b:1::a9fe:a9fe]'],
  'unique-local': ['[fc00::1]', '[fdff:ffff::1]'],
  'site-local': ['[fec0::1]', '[feff::1]'],
};

/** Names of a made-up world: what each look-up of it answers, the last one for ever. */
const names: Readonly<Record<string, readonly (readonly string[])[]>> = {
  localhost: [['127.0.0.1', '::1']],
  'sub.localhost': [['127.0.0.1']],
  'inside.test': [['10.0.0.1']],
  'mixed.test': [['93.184.216.34', '192.168.0.1']],
  'mapped.test': [['::ffff:127.0.0.1']],
};

function resolverOf(answers: Readonly<Record<string, readonly (readonly string[])[]>>) {
  const asked: string[] = [];
  const resolve = (host: string, callback: ResolveCallback) => {
    const name = host.toLowerCase().replace(/\.$/, '');
    const times = asked.filter((one) => one === name).length;
    asked.push(name);
    const turns = answers[name] ?? [];
    const turn = turns[Math.min(times, turns.length - 1)];
    if (turn === undefined) return callback(Object.assign(new Error('no such host'), { code: 'ENOTFOUND' }), []);
    const addresses: LookupAddress[] = turn.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    return callback(null, addresses);
  };
  return { asked, resolve };
}

interface WayOut {
  readonly name: string;
  /** `answered`, or why not. */
  go(url: string): Promise<string>;
  close(): Promise<void>;
}

/** Every way out that takes addresses of the class `guarded`, over one guard's rules. */
function waysOut(rules: {
  allow: readonly string[];
  resolve: (host: string, callback: ResolveCallback) => void;
}): WayOut[] {
  const config = { ...rules, channelAllowPrivate: true };
  const guard = new AddressGuard(config);
  const fetch = guardedFetch(guard, { timeoutMs: 2000 });
  const worker = () => ({ url: '', key: '' });
  const downloads = new MediaDownloads({
    guard,
    maxBytes: 1000,
    allowHttp: true,
    worker,
    userAgent: 'test',
    connectMs: 500,
  });
  const transport = new Transport({ guard: config });
  const outcome = async (work: Promise<unknown>) =>
    work.then(
      () => 'answered',
      (error: unknown) => (error instanceof Error ? `${error.name} ${error.message} ${error.cause}` : 'thrown'),
    );
  return [
    { name: 'guarded fetch', go: (url) => outcome(fetch({ url })), close: async () => undefined },
    {
      name: 'download of a file',
      go: (url) => outcome(downloads.fetch(url, new AbortController().signal)),
      close: async () => undefined,
    },
    { name: 'relay', go: (url) => outcome(relay(transport, url)), close: () => transport.close() },
  ];
}

function relay(transport: Transport, url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    transport.send(
      {
        method: 'GET',
        destination: { url, proxy: undefined, egress: 'guarded', connectMs: 500 },
        headers: [],
        body: undefined,
        timeouts: { headersMs: 2000, firstTokenMs: 0, idleMs: 2000, totalMs: 2000 },
      },
      { onHead: () => undefined, onData: () => undefined, onEnd: resolve, onError: reject },
    );
  });
}

const refused = /AddressRefused|refused-address|the address is not allowed/;

let inside: FakeUpstream;

egress.before(async () => {
  inside = await startFakeUpstream(jsonAnswer({ secret: true }));
});
egress.before.each(() => {
  inside.requests.length = 0;
  inside.script(jsonAnswer({ secret: true }));
});
egress.after(() => inside.close());

egress('do not lead inside, however the address is written', async () => {
  const { port } = new URL(inside.url);
  const ways = waysOut({ allow: [], resolve: resolverOf(names).resolve });
  for (const [kind, hosts] of Object.entries(forms)) {
    for (const host of hosts) {
      for (const scheme of ['http', 'https']) {
        for (const way of ways) {
          // The guard of files knows four ports only; both a usual and the real one are tried.
          for (const at of ['80', port]) {
            assert.match(await way.go(`${scheme}://${host}:${at}/json`), refused, `${way.name}: ${kind} ${host}:${at}`);
          }
        }
      }
    }
  }
  for (const way of ways) await way.close();
  assert.is(inside.requests.length, 0);
});

egress('do not lead inside by a name, also when only one of its addresses does', async () => {
  const ways = waysOut({ allow: [], resolve: resolverOf(names).resolve });
  for (const host of ['inside.test', 'mixed.test', 'mapped.test', 'INSIDE.test.']) {
    for (const way of ways) assert.match(await way.go(`http://${host}/json`), refused, `${way.name}: ${host}`);
  }
  for (const way of ways) await way.close();
});

egress('know only http and https, and no credentials in an address', async () => {
  const ways = waysOut({ allow: [], resolve: resolverOf(names).resolve });
  const urls = [
    ...['ftp://example.com/', 'file:///etc/passwd', 'gopher://example.com/', 'data:text/plain,x', 'javascript:1'],
    ...['http://user@example.com/', 'http://:pass@example.com/', 'http://example.com:0/', 'ws://example.com/x'],
  ];
  for (const url of urls) {
    for (const way of ways) {
      // The relay opens sockets where an upstream asks for them; those are the channel's own addresses.
      if (way.name === 'relay' && url.startsWith('ws:')) continue;
      assert.is.not(await way.go(url), 'answered', `${way.name}: ${url}`);
    }
  }
  for (const way of ways) await way.close();
  assert.is(inside.requests.length, 0);
});

egress('connect to the address that was checked, and check a name again at every use', async () => {
  const { port } = new URL(inside.url);
  for (const [index, name] of ['guarded fetch', 'download of a file', 'relay'].entries()) {
    // The first look-up leads to the one address that is on the list, the second one inside.
    const { asked, resolve } = resolverOf({ 'turning.test': [['127.0.0.1'], ['10.0.0.1']] });
    const ways = waysOut({ allow: ['127.0.0.1', `listed.test:${port}`], resolve });
    const way = ways[index];
    assert.is(way?.name, name);
    const url = `http://turning.test:${name === 'download of a file' ? '80' : port}/json`;
    const first = await way?.go(url);
    if (name === 'download of a file') assert.match(first ?? '', /cannot be reached/);
    else assert.is(first, 'answered', name);
    assert.equal(asked, ['turning.test'], `${name} looks once for one connection`);
    if (name === 'relay') {
      // A pool keeps the connection to the checked address; only a new one asks again.
      await inside.close();
      inside = await startFakeUpstream(jsonAnswer({ secret: true }));
    }
    const again = name === 'relay' ? `http://turning.test:${new URL(inside.url).port}/json` : url;
    assert.match((await way?.go(again)) ?? '', refused, name);
    for (const each of ways) await each.close();
  }
});

egress('check where a redirect leads before they follow it, in every form', async () => {
  const { resolve } = resolverOf({ ...names, 'outside.test': [['127.0.0.1']] });
  const { port } = new URL(inside.url);
  const guard = new AddressGuard({ allow: [`outside.test:${port}`], channelAllowPrivate: true, resolve });
  const worker = () => ({ url: '', key: '' });
  const downloads = new MediaDownloads({ guard, maxBytes: 1000, allowHttp: true, worker, userAgent: 'test' });
  const targets = Object.values(forms).flatMap((hosts) => hosts.map((host) => `http://${host}/json`));
  for (const location of [
    ...targets,
    'http://inside.test/',
    'http://mixed.test/',
    '//10.0.0.1/',
    'file:///etc/passwd',
  ]) {
    inside.requests.length = 0;
    const header = location.replace(/[^\x20-\x7e]/g, encodeURIComponent);
    inside.script(({ url }) => (url === '/start' ? { status: 302, headers: { location: header } } : jsonAnswer({})));
    const error = await downloads.fetch(`http://outside.test:${port}/start`, new AbortController().signal).then(
      () => 'answered',
      (thrown: unknown) => `${thrown} ${thrown instanceof Error ? thrown.cause : ''}`,
    );
    assert.match(error, refused, location);
    assert.is(inside.requests.length, 1, location);
  }
  // Everybody else follows none at all.
  inside.script({ status: 302, headers: { location: 'http://10.0.0.1/' } });
  const answer = await guardedFetch(guard)({ url: `http://outside.test:${port}/start` });
  assert.is(answer.status, 302);
});

egress('of a channel may lead to a private network, and never to a metadata service', () => {
  const guard = new AddressGuard({ allow: [], channelAllowPrivate: true });
  const accepts = (host: string) => {
    try {
      guard.checkUrl(new URL(`http://${host}/v1`), 'channel');
      return true;
    } catch {
      return false;
    }
  };
  for (const host of forms.metadata ?? []) assert.not(accepts(host), host);
  for (const host of ['[::ffff:a9fe:a9fe]', '[2002:a9fe:a9fe::]', '[64:ff9b:1::a9fe:a9fe]', '0xa9fea9fe']) {
    assert.not(accepts(host), host);
  }
  for (const host of ['127.0.0.1', '10.1.2.3', '[fd00::1]', '100.64.0.1', 'ollama.lan']) assert.ok(accepts(host), host);
});

egress.run();
