import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { guardedFetch } from '../../../daemon/integrations/guarded-fetch.ts';
import { turnstileVerifier } from '../../../daemon/integrations/human-check.ts';
import { AddressGuard } from '../../../daemon/upstream/address-guard.ts';
import { startWebServer, type WebServer } from '../../support/web-server.ts';

const guarded = suite('guarded fetch');

let server: WebServer;
const open = new AddressGuard({ allow: ['127.0.0.0/8'], channelAllowPrivate: true });

guarded.before(async () => {
  server = await startWebServer(({ url, body }, response) => {
    if (url === '/redirect') {
      response.writeHead(302, { Location: '/json' });
      response.end();
      return undefined;
    }
    if (url === '/large') {
      response.end('x'.repeat(2 * 1024 * 1024));
      return undefined;
    }
    if (url === '/slow') return undefined;
    if (url === '/siteverify') return { success: new URLSearchParams(body).get('response') === 'good' };
    return { ok: true };
  });
});

guarded.after(() => server.stop());

async function outcomeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'answered',
    (error: unknown) => (error instanceof Error ? error.name : 'thrown'),
  );
}

guarded('reaches no private address, however it is written, even where channels may', async () => {
  const fetch = guardedFetch(new AddressGuard({ allow: [], channelAllowPrivate: true }));
  const { port } = new URL(server.url);
  const hosts = [
    ...['127.0.0.1', '2130706433', '0x7f.1', '0177.0.0.1', 'localhost', '10.1.2.3', '172.16.0.1', '192.168.1.1'],
    ...['169.254.169.254', '100.64.0.1', '0.0.0.0', '224.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '[fd00::1]'],
    ...['[fec0::1]', '[fe80::1]', '[2002:7f00:1::]', '[64:ff9b::7f00:1]', 'metadata.google.internal'],
  ];
  for (const host of hosts) {
    assert.is(await outcomeOf(fetch({ url: `http://${host}:${port}/json` })), 'AddressRefused', host);
  }
  for (const url of ['ftp://example.com/', 'file:///etc/passwd', 'http://user:pass@example.com/']) {
    assert.is(await outcomeOf(fetch({ url })), 'AddressRefused', url);
  }
  assert.equal(server.asked, []);
});

guarded('connects to the address that was checked, though the name changes between look-ups', async () => {
  const answers = ['127.0.0.1', '10.0.0.1'];
  const rebinding = new AddressGuard({
    allow: ['127.0.0.1'],
    channelAllowPrivate: false,
    resolve: (_host, callback) => callback(null, [{ address: answers.shift() ?? '10.0.0.1', family: 4 }]),
  });
  const { port } = new URL(server.url);
  const fetch = guardedFetch(rebinding, { timeoutMs: 1000 });
  const url = `http://rebinding.example:${port}/json`;
  assert.is((await fetch({ url })).status, 200);
  assert.is(await outcomeOf(fetch({ url })), 'AddressRefused');
});

guarded('follows no redirect, waits no longer and reads no more than it may', async () => {
  const fetch = guardedFetch(open);
  assert.is((await fetch({ url: `${server.url}/redirect` })).status, 302);
  assert.is(await outcomeOf(fetch({ url: `${server.url}/large` })), 'Error');
  const impatient = guardedFetch(open, { timeoutMs: 300 });
  assert.is(await outcomeOf(impatient({ url: `${server.url}/slow` })), 'TimeoutError');
});

guarded('asks the service of the human check by form, and takes silence for a refusal', async () => {
  const causes: unknown[] = [];
  const deps = { fetch: guardedFetch(open), report: (cause: unknown) => causes.push(cause) };
  const verify = turnstileVerifier({ ...deps, address: `${server.url}/siteverify` });
  server.asked.length = 0;
  assert.is(await verify({ secret: 's&s', response: 'good', clientAddress: '192.0.2.7' }), true);
  assert.equal(
    [...new URLSearchParams(server.asked[0]?.body)],
    [
      ['secret', 's&s'],
      ['response', 'good'],
      ['remoteip', '192.0.2.7'],
    ],
  );
  assert.is(await verify({ secret: 's', response: 'bad', clientAddress: '' }), false);
  assert.is(await verify({ secret: 's', response: 'x'.repeat(2049), clientAddress: '' }), false);
  const nowhere = turnstileVerifier({ ...deps, address: 'http://127.0.0.1:9/' });
  assert.is(await nowhere({ secret: 's', response: 'good', clientAddress: '' }), false);
  assert.is(causes.length, 1);
});

guarded.run();
