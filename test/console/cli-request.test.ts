/** What a command line asks in the address of its page, and where its answer goes: this machine alone. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loopbackAddress, readRequest } from '../../console/pages/front/cli-request.ts';

const request = suite('the question of a command line');

const sound = {
  challenge: 'c'.repeat(43),
  state: 'known',
  name: 'tollgate on build-7',
  scopes: 'log:read *',
  expires_at: '1798761600',
  port: '41234',
};

const read = (over: Record<string, string> = {}) => readRequest(new URLSearchParams({ ...sound, ...over }));

request('is read whole, or not at all', () => {
  assert.equal(read(), {
    challenge: sound.challenge,
    state: 'known',
    name: sound.name,
    scopes: ['log:read', '*'],
    expiresAt: 1_798_761_600,
    port: 41_234,
  });
  assert.is(readRequest(new URLSearchParams('state=known')), undefined);
  const broken = [
    { challenge: 'short' },
    { state: '' },
    { state: 'a&b' },
    { name: ' ' },
    { scopes: '' },
    { scopes: 'log:read everything' },
    { expires_at: 'soon' },
    { port: '80' },
    { port: '99999' },
    { port: '41234@evil.example' },
  ];
  for (const over of broken) assert.is(read(over), 'broken', JSON.stringify(over));
});

request('is answered at an address of this machine, with the state that it brought', () => {
  const at = { port: 41_234, state: 'known' };
  assert.is(loopbackAddress(at, { code: 'a/b' }), 'http://127.0.0.1:41234/callback?code=a%2Fb&state=known');
  assert.is(
    loopbackAddress(at, { error: 'access_denied' }),
    'http://127.0.0.1:41234/callback?error=access_denied&state=known',
  );
});

request.run();
