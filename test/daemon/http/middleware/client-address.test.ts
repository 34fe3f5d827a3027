import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  clientAddressOf,
  isLocalClient,
  isSecureClient,
  TrustedProxies,
} from '../../../../daemon/http/middleware/client-address.ts';

const address = suite('client address');

function request(peer: string, headers: Record<string, string> = {}): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: peer });
  const message = new IncomingMessage(socket);
  Object.assign(message.headers, headers);
  return message;
}

const proxies = new TrustedProxies(['10.0.0.0/8', '::1', '2001:db8::/32']);

const cases: [string, string, Record<string, string>, string][] = [
  ['is the peer when nothing is forwarded', '203.0.113.7', {}, '203.0.113.7'],
  ['ignores what an untrusted peer claims', '203.0.113.7', { 'x-forwarded-for': '1.2.3.4' }, '203.0.113.7'],
  ['ignores a real-ip claim of an untrusted peer', '203.0.113.7', { 'x-real-ip': '1.2.3.4' }, '203.0.113.7'],
  ['takes the one hop before a trusted proxy', '10.1.1.1', { 'x-forwarded-for': '198.51.100.3' }, '198.51.100.3'],
  [
    'walks from the right past trusted hops',
    '10.1.1.1',
    { 'x-forwarded-for': '6.6.6.6, 198.51.100.3, 10.2.2.2' },
    '198.51.100.3',
  ],
  ['takes the leftmost when all hops are trusted', '10.1.1.1', { 'x-forwarded-for': '10.3.3.3, 10.2.2.2' }, '10.3.3.3'],
  ['stops at an unreadable hop', '10.1.1.1', { 'x-forwarded-for': '1.2.3.4, nonsense, 10.2.2.2' }, '10.2.2.2'],
  ['takes real-ip of a trusted proxy without a list', '10.1.1.1', { 'x-real-ip': '198.51.100.3' }, '198.51.100.3'],
  ['reads ports and brackets away', '10.1.1.1', { 'x-forwarded-for': '[2001:4860::8]:443' }, '2001:4860::8'],
  ['reads an IPv4 port away', '10.1.1.1', { 'x-forwarded-for': '198.51.100.3:1234' }, '198.51.100.3'],
  ['shows IPv4-mapped peers as IPv4', '::ffff:203.0.113.7', {}, '203.0.113.7'],
  ['trusts an IPv4-mapped proxy', '::ffff:10.1.1.1', { 'x-forwarded-for': '198.51.100.3' }, '198.51.100.3'],
];

for (const [name, peer, headers, expected] of cases) {
  address(name, () => assert.is(clientAddressOf(request(peer, headers), proxies), expected));
}

address('calls only a loopback peer local that speaks for itself', () => {
  assert.ok(isLocalClient(request('127.0.0.1')));
  assert.ok(isLocalClient(request('::1')));
  assert.ok(isLocalClient(request('::ffff:127.0.0.1')));
  assert.not(isLocalClient(request('192.168.0.1')));
  for (const header of ['forwarded', 'x-forwarded-for', 'x-real-ip']) {
    assert.not(isLocalClient(request('127.0.0.1', { [header]: '127.0.0.1' })), header);
  }
  for (const host of ['localhost', 'LOCALHOST:3000', 'gate.localhost:80', '127.0.0.1:3000', '[::1]:3000']) {
    assert.ok(isLocalClient(request('127.0.0.1', { host })), host);
  }
  for (const host of ['rebound.example:3000', '127.0.0.1.rebound.example', 'notlocalhost', 'localhost.example', '']) {
    assert.not(isLocalClient(request('127.0.0.1', { host })), host);
  }
});

address('believes the scheme of a trusted proxy only', () => {
  assert.ok(isSecureClient(request('10.1.1.1', { 'x-forwarded-proto': 'https' }), proxies));
  assert.not(isSecureClient(request('203.0.113.7', { 'x-forwarded-proto': 'https' }), proxies));
  assert.not(isSecureClient(request('10.1.1.1', { 'x-forwarded-proto': 'http' }), proxies));
});

address.run();
