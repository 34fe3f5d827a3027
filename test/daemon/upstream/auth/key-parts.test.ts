import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { namedParts, selectParts } from '../../../../daemon/upstream/auth/key-parts.ts';

const test = suite('keys of several parts');

test('named parts are known and secret ones are not', () => {
  assert.equal(namedParts('acc|tok', ['account', undefined]), { account: 'acc' });
  assert.equal(namedParts(' acc | tok', ['account', undefined]), { account: 'acc' });
  assert.equal(namedParts('tok', ['account', undefined]), {});
  assert.equal(namedParts('a|b|c', ['account', undefined]), {});
});

test('chosen parts are sent, and a plain key whole', () => {
  assert.is(selectParts('app|secret|key', [2, 1]), 'key:secret');
  assert.is(selectParts('app | secret | key', [2, 1]), 'key:secret');
  assert.is(selectParts('password', [2, 1]), 'password');
  assert.is(selectParts('a|b', undefined), 'a|b');
});

test.run();
