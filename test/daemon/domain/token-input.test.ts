import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTokenInput, type TokenInput, type TokenInputContext } from '../../../daemon/domain/token-input.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import { tokenRecord } from '../../support/account-records.ts';
import { optionsView } from '../../support/options-view.ts';

const input = suite('domain/token-input');

const context: TokenInputContext = { options: optionsView(), userGroup: 'default', nowSeconds: 1000 };

function codeOf(members: TokenInput, over: Partial<TokenInputContext> = {}): string {
  try {
    readTokenInput(members, { ...context, ...over });
  } catch (error) {
    if (error instanceof TollgateError) return error.code;
    throw error;
  }
  return 'accepted';
}

const cases: [TokenInput, string][] = [
  [{ name: ' ' }, 'token_name_required'],
  [{ name: '字'.repeat(50) }, 'accepted'],
  [{ name: '字'.repeat(51) }, 'token_name_long'],
  [{ expired_time: -1 }, 'accepted'],
  [{ expired_time: 1001 }, 'accepted'],
  [{ expired_time: 1000 }, 'token_expired_in_past'],
  [{ expired_time: 'soon' }, 'token_expired_in_past'],
  [{ remain_quota: 0 }, 'accepted'],
  [{ remain_quota: -1 }, 'token_quota_invalid'],
  [{ remain_quota: 0.5 }, 'token_quota_invalid'],
  [{ quota_warning_threshold: -2 }, 'token_threshold_invalid'],
  [{ quota_warning_threshold: 0.5 }, 'token_threshold_invalid'],
  [{ quota_warning_threshold: '' }, 'token_threshold_invalid'],
  [{ remain_quota: 2 ** 53 }, 'token_quota_invalid'],
  [{ group: '' }, 'accepted'],
  [{ group: 'vip' }, 'accepted'],
  [{ group: 'svip' }, 'token_group_refused'],
  [{ allow_ips: '' }, 'accepted'],
  [{ allow_ips: '10.0.0.1\n2001:db8::/32\n\n192.168.0.0/16' }, 'accepted'],
  [{ allow_ips: '10.0.0.1\nnot an address' }, 'token_ips_invalid'],
  [{ allow_ips: '10.1' }, 'token_ips_invalid'],
  [{ allow_ips: '10.0.0.0/33' }, 'token_ips_invalid'],
  [{ model_mapping: '' }, 'accepted'],
  [{ model_mapping: '{"a":"b","b":"c","c":"c","*":"a"}' }, 'accepted'],
  [{ model_mapping: '{"a":' }, 'token_mapping_invalid'],
  [{ model_mapping: '["a"]' }, 'token_mapping_invalid'],
  [{ model_mapping: { a: 'b', c: 1 } }, 'token_mapping_name_invalid'],
  [{ model_mapping: { a: '../b' } }, 'token_mapping_name_invalid'],
  [{ model_mapping: { ' a': 'b' } }, 'token_mapping_name_invalid'],
  [{ model_mapping: { a: 'b'.repeat(201) } }, 'token_mapping_name_invalid'],
  [{ model_mapping: { x: 'a', a: 'b', b: 'a' } }, 'token_mapping_circular'],
  [{ model_mapping: { '*': 'a', a: '*' } }, 'token_mapping_circular'],
  [
    { model_mapping: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`m${at}`, 'a'])) },
    'token_mapping_invalid',
  ],
  [{ model_limits: Array.from({ length: 501 }, (_, at) => `m${at}`).join(',') }, 'invalid_input'],
];
for (const [members, code] of cases) {
  input(`answers ${code} to ${JSON.stringify(members).slice(0, 70)}`, () => assert.is(codeOf(members), code));
}

input('does not check an expiry and a group again that stay as they are', () => {
  const current = tokenRecord({ expiredTime: 500, group: 'gone' });
  assert.is(codeOf({ expired_time: 500, group: 'gone' }, { current }), 'accepted');
});

input('takes addresses with commas and spaces between them, and keeps one a line', () => {
  const allowIps = '10.0.0.1\n10.1.0.0/16\n::1';
  assert.equal(readTokenInput({ allow_ips: '10.0.0.1, 10.1.0.0/16 ::1,' }, context), { allowIps });
  assert.is(codeOf({ allow_ips: '10.0.0.1, everywhere' }), 'token_ips_invalid');
});

input('takes model limits as text or list', () => {
  assert.equal(readTokenInput({ model_limits: ['a', 'b'] }, context), { modelLimits: 'a,b' });
  assert.equal(readTokenInput({ model_limits: ' a, ,b,a' }, context), { modelLimits: 'a,b' });
});

input('names the entry of a model mapping that is at fault, and keeps the others as one text', () => {
  const entryOf = (model_mapping: object) => {
    try {
      return readTokenInput({ model_mapping: { ...model_mapping } }, context).modelMapping;
    } catch (error) {
      return error instanceof TollgateError ? error.params.entry : error;
    }
  };
  assert.is(entryOf({ fast: 'gpt-4o', slow: '' }), '"slow"');
  assert.is(entryOf({ fine: 'gpt-4o', round: 'again', again: 'round' }), '"round"');
  assert.is(entryOf({ fast: 'gpt-4o' }), '{"fast":"gpt-4o"}');
  assert.is(entryOf({}), '');
});

input('ignores absent and null members', () => {
  assert.equal(readTokenInput({ name: null }, context), {});
});

input.run();
