import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newTotpSecret, totpAddress, totpStep } from '../../../daemon/domain/totp.ts';

const totp = suite('codes of authenticator apps');

/** `12345678901234567890`, the secret of RFC 6238, appendix B. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

totp('knows the codes of RFC 6238', () => {
  // The last six digits of the table's eight.
  assert.is(totpStep(secret, '287082', 59), 1);
  assert.is(totpStep(secret, '081804', 1_111_111_109), 37_037_036);
  assert.is(totpStep(secret, '005924', 1_234_567_890), 41_152_263);
  assert.is(totpStep(secret, '353130', 20_000_000_000), 666_666_666);
});

totp('takes the step before and the step after, and says which it was', () => {
  assert.is(totpStep(secret, '287082', 59 + 30), 1);
  assert.is(totpStep(secret, '287082', 29), 1);
  assert.is(totpStep(secret, '287082', 59 + 31), undefined);
  const begins = 37_037_036 * 30;
  assert.is(totpStep(secret, '081804', begins - 30), 37_037_036);
  assert.is(totpStep(secret, '081804', begins - 31), undefined);
});

totp('reads a code as people type it, and nothing else', () => {
  assert.is(totpStep(secret, ' 287 082 ', 59), 1);
  for (const code of ['', '28708', '2870822', 'abcdef', '28708２', '１２３４５６']) {
    assert.is(totpStep(secret, code, 59), undefined, code);
  }
});

totp('makes secrets of 160 bits, and an address that names site and user', () => {
  const fresh = newTotpSecret();
  assert.match(fresh, /^[A-Z2-7]{32}$/);
  assert.is.not(fresh, newTotpSecret());
  const address = new URL(totpAddress(fresh, { issuer: 'Our: Site', username: '李雷' }));
  assert.is(`${address.protocol}//${address.host}`, 'otpauth://totp');
  assert.is(address.searchParams.get('secret'), fresh);
  assert.is(address.searchParams.get('issuer'), 'Our: Site');
  assert.ok(decodeURIComponent(address.pathname).endsWith('李雷'), address.pathname);
});

totp.run();
