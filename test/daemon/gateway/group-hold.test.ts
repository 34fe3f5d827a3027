/** Which refusals are those of a group, so that another one may be asked. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../../daemon/errors.ts';
import { refusalOf } from '../../../daemon/gateway/group-hold.ts';

const test = suite('holds of groups');

/** What became of a refusal: told to whoever asks the groups, or thrown. */
async function fateOf(error: unknown, isPinned: boolean): Promise<'told' | 'thrown'> {
  try {
    assert.is(await refusalOf(Promise.reject(error), { isPinned }), error);
    return 'told';
  } catch (thrown) {
    assert.is(thrown, error);
    return 'thrown';
  }
}

test('a refusal of prices or limits of a group lets another one be asked, unless the channel is given', async () => {
  for (const code of ['insufficient_user_quota', 'rate_limited:group_rpm', 'rate_limited:group_tpm'] as const) {
    const error = new TollgateError(code);
    assert.equal([await fateOf(error, false), await fateOf(error, true)], ['told', 'thrown'], code);
  }
});

test('a refusal that every group would meet is thrown, and so is what broke', async () => {
  for (const code of ['rate_limited:user_rpm', 'accounting_unavailable', 'group_unknown'] as const) {
    assert.is(await fateOf(new TollgateError(code), false), 'thrown', code);
  }
  assert.is(await fateOf(new Error('broke'), false), 'thrown');
});

test('nothing is told where all is well', async () => {
  assert.is(await refusalOf(Promise.resolve(), { isPinned: false }), undefined);
});

test.run();
