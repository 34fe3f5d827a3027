import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  checkedDisplayName,
  checkedEmail,
  checkedUsername,
  displayNameFrom,
} from '../../../daemon/domain/account-rules.ts';
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

rules('refuse names that only look like somebody else’s', () => {
  for (const bad of ['root\u034f', 'root\ufe0f', '\u3164root', 'ro\u115fot', 'root\u2800', 'a\uff20b']) {
    assert.is(
      refused(() => checkedUsername(bad)),
      'username_invalid',
      JSON.stringify(bad),
    );
  }
});

rules('refuse display names with signs that nobody sees, and take those of elsewhere without them', () => {
  for (const bad of ['root\u200b', 'ro\u00adot', '\u202etoor', 'root\u2800', 'ro\u200dot', 'root\ufe0f']) {
    assert.is(
      refused(() => checkedDisplayName(bad)),
      'invalid_input',
      JSON.stringify(bad),
    );
  }
  assert.is(displayNameFrom('\u202eRo\u200bot \u2800'), 'Root');
  assert.is(displayNameFrom('\u3164'), '');
});

const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';

rules('leave display names the signs that hold an emoji or the letters of a script together', () => {
  for (const name of [`Ann \u2764\ufe0f`, family, '1\ufe0f\u20e3', 'علی\u200cرضا', 'क्\u200dष']) {
    assert.equal([checkedDisplayName(name), displayNameFrom(name)], [name, name]);
  }
  assert.is(displayNameFrom(`${'x'.repeat(18)}${family}`), `${'x'.repeat(18)}\u{1f468}`);
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

rules('write the domain of an address in one way, as it is delivered to', () => {
  for (const one of ['me@example.org', 'me@\uff45xample.org', 'me@exam\u00adple.org', 'me@EX\u200bAMPLE\u3002org']) {
    assert.is(checkedEmail(one, 'email'), 'me@example.org', JSON.stringify(one));
  }
  for (const one of ['me@Bu\u0308cher.example', 'me@b\u00fccher.example', 'me@XN--bcher-kva.example']) {
    assert.is(checkedEmail(one, 'email'), 'me@xn--bcher-kva.example', JSON.stringify(one));
  }
  assert.is(
    refused(() => checkedEmail('me@\u00e9\u3000.org', 'email')),
    'email_invalid',
  );
});

rules.run();
