import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../../daemon/errors.ts';
import { Authenticator, type OwnPlaces, presentedKey } from '../../../daemon/gateway/authenticate.ts';
import { tokenRecord, userRecord } from '../../support/account-records.ts';
import { callerOf } from '../../support/relay-caller.ts';

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

test('takes a scheme without a key for no key, which disagrees with none', () => {
  for (const authorization of ['Bearer', 'bearer ', 'Bearer sk-', '']) {
    assert.is(present({ authorization, 'x-api-key': key }).key, key);
    assert.is(
      codeOf(() => present({ authorization })),
      'access_denied',
    );
  }
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

test('lets an answer go on until its key expires, is switched off or deleted, whatever else called with it meanwhile', async () => {
  const caller = callerOf();
  const goesOn = async (token: Parameters<typeof tokenRecord>[0], user: Parameters<typeof userRecord>[0] = {}) => {
    const identity = { token: tokenRecord(token), user: userRecord(user) };
    const authenticator = new Authenticator({
      identities: { resolve: () => identity, resolveUser: () => identity.user },
      tokenHash: (text) => text,
      markToken: () => undefined,
      now: () => 1000_500,
    });
    const playing = await authenticator.mayContinue({ ...caller, token: undefined });
    return [await authenticator.mayContinue(caller), playing];
  };
  assert.equal(await goesOn({ expiredTime: -1 }), [true, true]);
  assert.equal(await goesOn({ expiredTime: 1001 }), [true, true]);
  assert.equal(await goesOn({ expiredTime: 1000 }), [false, true], 'before any other call has met it');
  for (const status of [2, 3]) assert.equal(await goesOn({ status }), [false, true], `status ${status}`);
  assert.equal(await goesOn({ status: 4 }), [true, true], 'its own hold ends a key that is used up');
  assert.equal(await goesOn({ deletedAt: new Date(0) }), [false, true]);
  assert.equal(await goesOn({}, { status: 2 }), [false, false]);
  assert.equal(await goesOn({}, { deletedAt: new Date(0) }), [false, false]);
});

test.run();
