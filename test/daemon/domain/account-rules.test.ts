import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkedDisplayName, checkedEmail, checkedUsername } from '../../../daemon/domain/account-rules.ts';
import { TollgateError } from '../../../daemon/errors.ts';

const rules = suite('rules of accounts');

function refused(work: () => unknown): string {
  try {
    return `accepted ${String(work())}`;
  } catch (error) {
    return error instanceof TollgateError ? error.code : String(error);
  }
}

rules('trim names and count their characters, not their bytes', () => {
  assert.is(checkedUsername('  bob '), 'bob');
  assert.is(checkedUsername('用户名用户名用户名用户名用户名用户名用户'), '用户名用户名用户名用户名用户名用户名用户');
  for (const bad of ['', '   ', 'x'.repeat(21), 'a@b', 'a\nb', 'a\u0085b', 'ro\u200bot', '\u202etoor']) {
    assert.is(
      refused(() => checkedUsername(bad)),
      'username_invalid',
      JSON.stringify(bad),
    );
  }
});

rules('let display names be empty and at most 20 characters long', () => {
  assert.is(checkedDisplayName(''), '');
  assert.is(
    refused(() => checkedDisplayName('x'.repeat(21))),
    'invalid_input',
  );
  assert.is(
    refused(() => checkedDisplayName('a\u0000')),
    'invalid_input',
  );
});

rules('store addresses in lower case and take exactly one', () => {
  assert.is(checkedEmail(' Me.Too+x@Example.ORG ', 'email'), 'me.too+x@example.org');
  for (const bad of [
    '',
    'me',
    'me@',
    '@x.y',
    'a@b',
    'a@b@c.d',
    'a b@c.d',
    'a@c.d;e@f.g',
    'a@c.d\r\nBcc: x@y.z',
    `${'a'.repeat(65)}@c.d`,
  ]) {
    assert.is(
      refused(() => checkedEmail(bad, 'email')),
      'email_invalid',
      JSON.stringify(bad),
    );
  }
});

rules.run();
