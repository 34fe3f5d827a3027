import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reasonOf } from '../../../daemon/contract/error-reason.ts';
import { TollgateError } from '../../../daemon/errors.ts';

const test = suite('error-reason');

test('a reason is what the driver said, without the statement that Knex puts before it', () => {
  const cut = "Can't add new command when connection is in closed state";
  for (const said of ['WITH u AS (\n  UPDATE users SET quota = quota - 1\n)', 'select `id` from `users`']) {
    const cause = new Error(`${said} - ${cut}`);
    assert.is(reasonOf(new TollgateError('db_unavailable', {}, { cause })), cut);
  }
  assert.is(reasonOf(new Error('connect ECONNREFUSED - twice')), 'connect ECONNREFUSED - twice');
  assert.is(reasonOf('nothing'), undefined);
});

test.run();
