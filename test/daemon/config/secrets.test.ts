import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createKeyring, equalTexts, SealBroken } from '../../../daemon/config/secrets.ts';

const secrets = suite('config/secrets');
const keyring = createKeyring('a root secret for tests');
const place = { table: 'tokens', column: 'key_sealed', row: 'abc' };

secrets('opens what it sealed, in any script and length', () => {
  for (const plain of ['', 'sk-1', '密钥 🔑', 'x'.repeat(100_000)]) {
    assert.is(keyring.open(place, keyring.seal(place, plain)), plain);
  }
});

secrets('never seals the same value twice alike', () => {
  const seen = new Set(Array.from({ length: 100 }, () => keyring.seal(place, 'same')));
  assert.is(seen.size, 100);
});

secrets('opens a value nowhere but in its own table, column and row', () => {
  const sealed = keyring.seal(place, 'secret');
  const elsewhere = [
    { ...place, table: 'channels' },
    { ...place, column: 'other' },
    { ...place, row: 'abd' },
    { table: 'token', column: 'skey_sealed', row: 'abc' },
  ];
  for (const other of elsewhere) assert.throws(() => keyring.open(other, sealed), isBroken);
});

secrets('does not open under another root secret', () => {
  const sealed = keyring.seal(place, 'secret');
  assert.throws(() => createKeyring('another').open(place, sealed), isBroken);
});

secrets('notices every changed, missing or added byte', () => {
  const sealed = keyring.seal(place, 'secret');
  const bytes = Buffer.from(sealed.slice(1), 'base64url');
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    assert.throws(() => keyring.open(place, `A${changed.toString('base64url')}`), isBroken);
    assert.throws(() => keyring.open(place, `A${bytes.subarray(0, at).toString('base64url')}`), isBroken);
  }
  for (const damaged of ['', 'A', 'B', `B${sealed.slice(1)}`, `${sealed}AAAA`]) {
    assert.throws(() => keyring.open(place, damaged), isBroken);
  }
});

secrets('says nothing about the value when it cannot be opened', () => {
  assert.throws(
    () => keyring.open({ ...place, row: 'other' }, keyring.seal(place, 'canary-value')),
    (error: unknown) => isBroken(error) && !inspect(error, { depth: null }).includes('canary-value'),
  );
});

secrets('derives every purpose from the same root, each for itself', () => {
  const again = createKeyring('a root secret for tests');
  assert.is(again.tokenHash('key'), keyring.tokenHash('key'));
  assert.is(again.sessionHash('key'), keyring.sessionHash('key'));
  const hashes = [
    keyring.tokenHash('key'),
    keyring.sessionHash('key'),
    keyring.accessTokenHash('key'),
    keyring.machineTokenHash('key'),
    Buffer.from(keyring.signSession('key').slice('key.'.length), 'base64url').toString('hex'),
    keyring.codeHash('', '', 'key'),
    createKeyring('another').tokenHash('key'),
  ];
  assert.is(new Set(hashes).size, hashes.length);
  for (const hash of hashes) assert.match(hash, /^[0-9a-f]{64}$/);
});

secrets('keeps what it derives the same from release to release', () => {
  assert.is(keyring.channelKeyHash('sk-abc'), '1460db1b6902f8b1');
  assert.is(keyring.accessTokenHash('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  assert.is(keyring.tokenHash('key'), TOKEN_HASH);
  assert.is(keyring.open(place, SEALED), 'frozen');
});

secrets('keeps the parts of a code apart', () => {
  assert.is.not(keyring.codeHash('reset', 'a', 'bc'), keyring.codeHash('reset', 'ab', 'c'));
  assert.is.not(keyring.codeHash('reset1', ':a', 'c'), keyring.codeHash('reset', '1:a', 'c'));
});

secrets('verifies the sessions it signed and no others', () => {
  const id = randomBytes(32).toString('base64url');
  const value = keyring.signSession(id);
  assert.is(keyring.verifySession(value), id);
  for (const forged of ['', '.', id, `${id}.`, `x${value}`, `${value}x`, value.slice(0, -1), `.${value}`]) {
    assert.is(keyring.verifySession(forged), undefined);
  }
  assert.is(createKeyring('another').verifySession(value), undefined);
});

secrets('compares texts of any length', () => {
  assert.ok(equalTexts('abc', 'abc'));
  assert.not.ok(equalTexts('abc', 'abcd'));
  assert.not.ok(equalTexts('', 'a'));
});

secrets('refuses an empty root secret', () => {
  assert.throws(() => createKeyring(''), /the root secret is empty/);
});

/** Made by the first release: whoever breaks these locks every operator out of the stored keys. */
const TOKEN_HASH = '22cedc0267b88d6ec200928dfdcbd7a8004a027c0b0c66b0b0c412d72ea3459d';
const SEALED = 'AWkqP7ktHdC2LG-IRX0E7G2jpYG5FWTNpz3rLtlajh6xfQg';

function isBroken(error: unknown): boolean {
  return error instanceof SealBroken;
}

secrets.run();
