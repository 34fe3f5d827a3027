/** What the token drawer refuses, and what it sends. */
import { createInstance } from 'i18next';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { errorsOf } from '../../console/components/form-values.ts';
import { texts as components } from '../../console/i18n/catalogues/zh/components.ts';
import { texts as zh } from '../../console/i18n/catalogues/zh/tokens.ts';
import { newToken, tokenSchema, wireOf } from '../../console/pages/tokens/token-form.ts';

const test = suite('console/token form');

test('a token without a limit needs no amount, and one with a limit does', async () => {
  const instance = createInstance();
  await instance.init({ lng: 'zh', resources: { zh: { components, tokens: zh } } });
  const emptied = { ...newToken, name: 'laptop', quota: Number.NaN };
  const refused = (values: typeof emptied) =>
    errorsOf(tokenSchema(instance.getFixedT('zh', 'tokens')), values, instance.getFixedT('zh', 'components'));
  assert.equal(refused(emptied), { quota: '请填写此项' });
  assert.equal(refused({ ...emptied, isUnlimited: true }), {});
  assert.equal(refused({ ...newToken, isUnlimited: true }), { name: '请输入令牌名称！' });
  assert.is(wireOf({ ...emptied, isUnlimited: true }).remain_quota, undefined);
  assert.is(wireOf(newToken).remain_quota, 500_000);
});

test.run();
