import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { driverAddress } from '../../../daemon/store/postgres-address.ts';

const test = suite('the address of PostgreSQL');

test('asks for a checked certificate wherever encryption is asked for, unless another meaning is', () => {
  for (const word of ['prefer', 'require', 'verify-ca', 'verify-full']) {
    assert.is(driverAddress(`postgres://h/d?sslmode=${word}`), 'postgres://h/d?sslmode=verify-full');
    const compatible = `postgres://h/d?uselibpqcompat=true&sslmode=${word}`;
    assert.is(driverAddress(compatible), compatible);
  }
  for (const same of ['postgres://h/d', 'postgres://h/d?sslmode=disable', 'postgres://h/d?sslmode=no-verify']) {
    assert.is(driverAddress(same), same);
  }
  assert.is(
    driverAddress('postgres://h/d?a=1&sslmode=require&sslrootcert=/ca.pem'),
    'postgres://h/d?a=1&sslmode=verify-full&sslrootcert=/ca.pem',
  );
});

test.run();
