import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fillText } from '../../../daemon/contract/fill-text.ts';

const texts = suite('filled texts');

texts('choose the word by the figure, and leave places that nothing is known of', () => {
  const text = '{users} {users:user has|users have} {keys}';
  assert.is(fillText(text, { users: 1, keys: '{users}' }), '1 user has {users}');
  assert.is(fillText(text, { users: 0 }), '0 users have {keys}');
  assert.is(fillText(text), text);
});

texts.run();
