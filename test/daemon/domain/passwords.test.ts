import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isAcceptablePassword, isForeignHash, Passwords } from '../../../daemon/domain/passwords.ts';
import { processorMs } from '../../support/processor-time.ts';

const passwords = suite('passwords');
const service = new Passwords();

passwords('need 8 characters and have at most 72 bytes', () => {
  for (const good of ['12345678', 'x'.repeat(72), '密'.repeat(24), '密码密码密码密码'])
    assert.ok(isAcceptablePassword(good), good);
  for (const bad of ['', '1234567', 'x'.repeat(73), '密'.repeat(25), '😀😀😀😀😀😀😀'])
    assert.not(isAcceptablePassword(bad), bad);
});

passwords('are stored as argon2id with a salt of their own', async () => {
  const [first, second] = await Promise.all([service.hash('a good password'), service.hash('a good password')]);
  assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.is.not(first, second);
  assert.ok(await service.matches('a good password', first));
  assert.not(await service.matches('another password', first));
});

passwords('never match where nothing, nothing readable or only the hash itself is stored', async () => {
  for (const stored of [undefined, '', 'not a hash', '$argon2id$v=19$broken']) {
    assert.not(await service.matches('a good password', stored), String(stored));
  }
  const stored = await service.hash('a good password');
  assert.not(await service.matches(stored, stored));
  assert.not(await service.matches('there is no such account', undefined));
});

passwords('of other gateways are checked by their bcrypt hashes, unless those ask for too much work', async () => {
  const stored = '$2a$04$pGXE/J1w11y0EBClVVO.eOYsLssy2qJiZ9YmURJez7ZO9lyh/iJrG';
  assert.ok(isForeignHash(stored));
  assert.ok(await service.matches('a good password', stored));
  assert.not(await service.matches('a wrong password', stored));
  assert.ok(isForeignHash(stored.replace('$04$', '$14$')));
  for (const rounds of ['15', '31', '03', '+4']) {
    const excessive = stored.replace('04', rounds);
    assert.not(isForeignHash(excessive), rounds);
    assert.not(await service.matches('a good password', excessive), rounds);
  }
  assert.not(isForeignHash(await service.hash('a good password')));
});

passwords('cost the same to check when there is no account', async () => {
  const stored = await service.hash('a good password');
  const time = (against: string | undefined) => processorMs(() => service.matches('a wrong password', against));
  await time(undefined);
  const known: number[] = [];
  const unknown: number[] = [];
  // The least of several is what the work costs; the others also measure what else the process does.
  for (let round = 0; round < 6; round += 1) {
    known.push(await time(stored));
    unknown.push(await time(undefined));
  }
  const ratio = Math.min(...known) / Math.min(...unknown);
  assert.ok(ratio > 1 / 3 && ratio < 3, `one takes ${ratio} times as long as the other`);
});

passwords.run();
