import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../../daemon/errors.ts';
import { type OwnPlaces, presentedKey } from '../../../daemon/gateway/authenticate.ts';

const test = suite('gateway/authenticate');
const key = 'Ab1'.repeat(16);

const present = (headers: Record<string, string>, queryKey?: string, own: OwnPlaces = 'none') =>
  presentedKey({ headers, queryKey }, own);

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof TollgateError ? error.code : 'other';
  }
  return 'none';
}

test('strips one prefix of each kind and no more', () => {
  assert.equal(present({ authorization: `Bearer sk-${key}` }), { key, pin: undefined });
  assert.equal(present({ authorization: `  BEARER   sk-${key}  ` }), { key, pin: undefined });
  assert.equal(present({ authorization: `Bearer sk-${key}-12` }), { key, pin: '12' });
  const trap = `sks-${key}`;
  assert.is(
    codeOf(() => present({ authorization: trap })),
    'access_denied',
  );
});

test('keeps keys whole that begin with letters of the prefix', () => {
  const odd = `sk${'s'.repeat(46)}`;
  assert.is(present({ 'x-api-key': odd }).key, odd);
});

test('accepts one key from many places and refuses two', () => {
  const headers = { authorization: `Bearer sk-${key}`, 'x-api-key': key, 'api-key': `sk-${key}` };
  assert.is(present(headers).key, key);
  assert.is(
    codeOf(() => present({ ...headers, 'api-key': 'x'.repeat(48) })),
    'credentials_conflict',
  );
  assert.is(
    codeOf(() => present({ authorization: `${key}-1`, 'x-api-key': `${key}-2` })),
    'credentials_conflict',
  );
});

test('reads every value of a header that came more than once', () => {
  assert.is(present({ authorization: `Bearer sk-${key}, Bearer ${key}` }).key, key);
  assert.is(
    codeOf(() => present({ authorization: `Bearer sk-${key}, Bearer ${'x'.repeat(48)}` })),
    'credentials_conflict',
  );
});

test('reads Google’s places only where they belong', () => {
  assert.is(
    codeOf(() => present({ 'x-goog-api-key': key }, key)),
    'access_denied',
  );
  assert.is(present({ 'x-goog-api-key': key }, key, 'google').key, key);
});

test('takes the drawing clients’ placeholder for no key', () => {
  for (const authorization of ['midjourney-proxy', 'Bearer midjourney-proxy']) {
    assert.is(
      codeOf(() => present({ authorization })),
      'access_denied',
    );
    assert.is(present({ authorization, 'mj-api-secret': key }, undefined, 'drawing').key, key);
  }
});

test.run();
