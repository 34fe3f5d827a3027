import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { suite } from 'uvu';
import { AddressGuard, AddressRefused, judgeAddress } from '../../../daemon/upstream/address-guard.ts';

const judging = suite('address guard: literal addresses');

const refusedForEveryone = [
  '0.0.0.0',
  '0.1.2.3',
  '169.254.169.254',
  '169.254.1.1',
  '100.100.100.200',
  '168.63.129.16',
  '224.0.0.1',
  '255.255.255.255',
  '240.0.0.1',
  '192.0.2.1',
  '::',
  'fe80::1',
  'ff02::1',
  'fd00:ec2::254',
  '::ffff:169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '2002:a9fe:a9fe::1',
  '2001:db8::1',
  'not an address',
];
const privateAddresses = [
  '127.0.0.1',
  '10.0.0.1',
  '172.16.3.4',
  '192.168.1.1',
  '100.64.0.1',
  '198.18.0.7',
  '::1',
  'fc00::1',
  'fec0::1',
  '::ffff:10.0.0.1',
  '::ffff:0:10.0.0.1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::10.0.0.1',
  '2002:7f00:1::1',
  '::127.0.0.1',
];
const openAddresses = ['1.1.1.1', '8.8.8.8', '2606:4700::1111', '::ffff:1.1.1.1', '64:ff9b::8.8.8.8'];

judging('refuses metadata, link-local, multicast, reserved and unreadable addresses to everyone', () => {
  for (const address of refusedForEveryone) assert.equal(judgeAddress(address), 'never', address);
});
judging('knows a private address in every spelling', () => {
  for (const address of privateAddresses) assert.equal(judgeAddress(address), 'private', address);
});
// 10.0.0.1 behind a prefix of 48, 56 and 64 bits, and 127.0.0.1 behind one of 48 that ends like a public address.
const localNat64 = [
  '64:ff9b:1:a00:0:100::',
  '64:ff9b:1:a:0:1::',
  '64:ff9b:1:0:a:0:100:0',
  '64:ff9b:1:7f00:0:100:808:808',
];
judging('reads the address in a site-local NAT64 form wherever its prefix may end (RFC 6052, RFC 8215)', () => {
  for (const address of localNat64) assert.equal(judgeAddress(address), 'private', address);
  assert.equal(judgeAddress('64:ff9b:1:a9fe:a9:fe00::'), 'never');
  for (const address of ['64:ff9b:1::8.8.8.8', '64:ff9b:1:808:8:800::']) assert.equal(judgeAddress(address), 'open');
});
judging('reads the address behind a compatible form as the URL parser writes it', () => {
  const verdicts = ['::7f00:1', '::a9fe:a9fe', '::808:808'].map(judgeAddress);
  assert.deepEqual(verdicts, ['private', 'never', 'open']);
});
judging('knows an address whatever interface it is asked by', () => {
  assert.deepEqual(['fd00:ec2::254%eth0', 'fd00::1%eth0'].map(judgeAddress), ['never', 'private']);
});
judging('lets public addresses pass', () => {
  for (const address of openAddresses) assert.equal(judgeAddress(address), 'open', address);
});
judging.run();

const urls = suite('address guard: URLs');
const guard = new AddressGuard({ allow: ['10.1.0.0/16', 'inner.test:8443'], channelAllowPrivate: true });

urls('refuses decimal, octal and hexadecimal hosts like the addresses they are', () => {
  for (const host of ['2130706433', '0177.0.0.1', '0x7f.1', '127.1', '[::ffff:7f00:1]']) {
    assert.throws(() => guard.checkUrl(new URL(`http://${host}/`), 'guarded'), AddressRefused, host);
  }
});
urls('refuses other schemes, credentials and metadata names', () => {
  for (const url of [
    'ftp://example.com/',
    'file:///etc/passwd',
    'http://user@example.com/',
    'http://:password@example.com/',
    'http://example.com:0/',
    'http://metadata.google.internal/',
    'http://metadata.google.internal./',
  ]) {
    assert.throws(() => guard.checkUrl(new URL(url), 'channel'), AddressRefused, url);
  }
});
urls('lets a channel, but no guarded call, use a private address', () => {
  guard.checkUrl(new URL('http://192.168.0.9:11434/v1'), 'channel');
  assert.throws(() => guard.checkUrl(new URL('http://192.168.0.9:11434/v1'), 'guarded'), AddressRefused);
});
urls('never lets a channel use a metadata address, unless it is on the list', () => {
  assert.throws(() => guard.checkUrl(new URL('http://169.254.169.254/latest'), 'channel'), AddressRefused);
  const listed = new AddressGuard({ allow: ['169.254.169.254'], channelAllowPrivate: false });
  listed.checkUrl(new URL('http://169.254.169.254/latest'), 'guarded');
});
urls('honours networks and host:port pairs of the list', () => {
  guard.checkUrl(new URL('http://10.1.2.3/'), 'guarded');
  assert.throws(() => guard.checkUrl(new URL('http://10.2.2.3/'), 'guarded'), AddressRefused);
  guard.checkUrl(new URL('https://inner.test:8443/'), 'guarded');
});
urls('takes a listed network for granted in a NAT64 form only where every reading lies in it', () => {
  guard.checkUrl(new URL('http://[64:ff9b:1::10.1.2.3]/'), 'guarded');
  assert.throws(() => guard.checkUrl(new URL('http://[64:ff9b:1:7f00:0:100:a01:203]/'), 'guarded'), AddressRefused);
});
urls('takes an address on the list for that address alone', () => {
  const listed = new AddressGuard({ allow: ['fd00::5', '10.0.0.5'], channelAllowPrivate: false });
  for (const host of ['[fd00::5]', '10.0.0.5']) listed.checkUrl(new URL(`http://${host}/`), 'guarded');
  for (const host of ['[fd00::6]', '10.0.0.6']) {
    assert.throws(() => listed.checkUrl(new URL(`http://${host}/`), 'guarded'), AddressRefused, host);
  }
});
urls('closes private networks to channels when the operator says so', () => {
  const strict = new AddressGuard({ allow: [], channelAllowPrivate: false });
  assert.throws(() => strict.checkUrl(new URL('http://127.0.0.1/'), 'channel'), AddressRefused);
});
urls.run();

const resolving = suite('address guard: names');

function resolved(addresses: string[], egress: 'channel' | 'guarded', port = '80'): Promise<LookupAddress[]> {
  const made = new AddressGuard({
    allow: ['inner.test:8443'],
    channelAllowPrivate: true,
    resolve: (_host, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
  });
  return new Promise((resolve, reject) => {
    made.lookup(egress, port)('inner.test', { all: true }, (error, answer) => {
      if (error !== null) reject(error);
      else resolve(Array.isArray(answer) ? answer : []);
    });
  });
}

resolving('passes on exactly the addresses that were checked', async () => {
  assert.deepEqual(
    (await resolved(['1.1.1.1', '2606:4700::1111'], 'guarded')).map((entry) => entry.address),
    ['1.1.1.1', '2606:4700::1111'],
  );
});
resolving('refuses a name when one of its addresses is refused', async () => {
  await assert.rejects(resolved(['1.1.1.1', '127.0.0.1'], 'guarded'), AddressRefused);
  await assert.rejects(resolved(['169.254.169.254'], 'channel'), AddressRefused);
});
resolving('lets a listed host and port resolve to anything', async () => {
  assert.equal((await resolved(['127.0.0.1'], 'guarded', '8443')).length, 1);
  await assert.rejects(resolved(['127.0.0.1'], 'guarded', '80'), AddressRefused);
});
resolving('knows a listed name however it is written, and answers with the family that is asked for', async () => {
  const made = new AddressGuard({
    allow: ['Inner.test:8443'],
    channelAllowPrivate: false,
    resolve: (_host, callback) =>
      callback(null, [
        { address: '::1', family: 6 },
        { address: '127.0.0.1', family: 4 },
      ]),
  });
  await made.checkPlace('INNER.test', '8443', 'guarded');
  const answer = await new Promise((resolve, reject) => {
    made.lookup('guarded', '8443')('inner.test', { family: 4 }, (error, address) =>
      error === null ? resolve(address) : reject(error),
    );
  });
  assert.equal(answer, '127.0.0.1');
});
resolving('gives up on a resolver that does not answer', async () => {
  const silent = new AddressGuard({ allow: [], channelAllowPrivate: true, resolve: () => {}, dnsTimeoutMs: 20 });
  const keepAlive = setTimeout(() => {}, 1000);
  await assert.rejects(
    new Promise((resolve, reject) => {
      silent.lookup('channel', '80')('slow.test', { all: true }, (error) => (error ? reject(error) : resolve(0)));
    }),
    /no answer from the resolver/,
  );
  clearTimeout(keepAlive);
});
resolving.run();
