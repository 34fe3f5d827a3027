/** The line of the usage log that says how a call came to its cost: in the reader's language, whatever the site's is. */
import { createInstance } from 'i18next';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { texts as en } from '../../console/i18n/catalogues/en/logs.ts';
import { texts as zh } from '../../console/i18n/catalogues/zh/logs.ts';
import { billLine } from '../../console/pages/logs/bill-words.ts';

const test = suite('console/bill-words');

const instance = createInstance();
await instance.init({
  lng: 'zh',
  resources: { zh: { logs: zh }, en: { logs: en } },
  showSupportNotice: false,
  interpolation: { escapeValue: false, prefix: '{', suffix: '}' },
});

const row = { type: 2, failed: false, content: '站点语言', quota: 0, prompt_tokens: 0, completion_tokens: 0 };
const priced = { model_price: -1, model_ratio: 1.25, completion_ratio: 4, group_ratio: 1 };
const tokens = { ...row, quota: 3875, prompt_tokens: 1100, completion_tokens: 500 };

function lines(of: typeof row, other: Readonly<Record<string, unknown>>): string[] {
  const told = { ...of, other: JSON.stringify(other) };
  return (['zh', 'en'] as const).map((language) =>
    billLine(told, { quotaPerUnit: 500_000, t: instance.getFixedT(language, 'logs') }),
  );
}

test('a call at a token price tells its prices and its ratio', () => {
  assert.equal(lines(tokens, priced), [
    '输入 $2.50 / 1M · 输出 $10.00 / 1M · 分组 1',
    'input $2.50 / 1M · output $10.00 / 1M · group 1',
  ]);
});

test('what took the place of the ratio of the group is told, and that tokens were counted here', () => {
  const [, ruled] = lines(tokens, { ...priced, group_ratio: 0.8, rate_rule: 'token:3', usage_estimated: true });
  assert.is(ruled, 'input $2.50 / 1M · output $10.00 / 1M · rate 0.8 by rule token:3 · ≈ Estimated locally');
});

test('pictures tell their size, their quality and how many there are; a task its id', () => {
  const images = { model_price: 0.04, group_ratio: 1, images: 2, size: '1024x1024', quality: 'hd' };
  assert.is(lines({ ...row, quota: 20_000 }, images)[1], 'Per call $0.04 · group 1 · 2 × 1024x1024 hd');
  const task = { model_price: 0.04, group_ratio: 1, task_id: 'task_1' };
  assert.is(lines({ ...row, quota: 20_000 }, task)[1], 'Per call $0.04 · group 1 · task_1');
});

test('rows that say for themselves why nothing was charged, or what happened, are left as they are', () => {
  assert.equal(lines({ ...tokens, quota: 0 }, priced), ['站点语言', '站点语言'], 'an answer that was not billed');
  assert.equal(lines({ ...row, failed: true }, priced), ['站点语言', '站点语言'], 'a call that failed');
  assert.equal(lines({ ...row, type: 1 }, {}), ['站点语言', '站点语言'], 'a top-up');
});

test.run();
