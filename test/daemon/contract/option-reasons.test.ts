import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatError } from '../../../daemon/contract/error-codes.ts';
import { chineseReason } from '../../../daemon/contract/option-reasons.ts';
import { isOptionKey, optionTable, parseOption } from '../../../daemon/contract/options.ts';
import { optionProblem } from '../../../daemon/domain/option-checks.ts';

const test = suite('reasons why an option is refused');

const hostile = [
  '',
  'x',
  '-1',
  '1.23456789012345',
  '1e99',
  'NaN',
  '99999999999',
  'null',
  '[]',
  '{}',
  '[1]',
  '{"a":-1}',
  '{"a":"b","b":"a"}',
  '{"a,b":1}',
  '{"default":-1}',
  '[{"x":1}]',
  '[{"match":"regex","value":"("}]',
  'regex:(',
  'regex:a*',
  '{"users":{}}',
  '{"user":{"a":{"rpmm":1}}}',
  '{"default":"v1/../x"}',
  '{"m:0":{"x a":"b"}}',
  '{"m:0":{"x-a":"b\\nc"}}',
  '{"m:0":{"transfer-encoding":"b"}}',
  '{"a b":{"x-a":1}}',
  'line\u0001',
  'ftp://x',
  '600-500',
  'x'.repeat(300_000),
  '\u0000',
];

test('are told in Chinese, each of them', () => {
  const reasons = new Set<string>();
  for (const key of Object.keys(optionTable).filter(isOptionKey)) {
    for (const text of hostile) {
      const parsed = parseOption(key, text);
      const reason = parsed.ok ? optionProblem(key, parsed.value) : parsed.reason;
      if (reason !== undefined) reasons.add(reason);
    }
  }
  assert.ok(reasons.size > 20);
  const untold = [...reasons].filter((reason) => !/[\u4e00-\u9fff]/.test(chineseReason(reason)));
  assert.equal(untold, []);
});

test('say what a value must be in words of JSON, never in those of the schema', () => {
  const told = (key: string, text: string) => {
    const parsed = isOptionKey(key) ? parseOption(key, text) : undefined;
    return parsed === undefined || parsed.ok ? 'taken' : parsed.reason;
  };
  assert.is(told('ModelRatio', '[1]'), 'must be an object');
  assert.is(told('ModelRatio', '{"gpt-4o":"1"}'), 'gpt-4o: must be a number');
  assert.is(told('AutoGroups', '{}'), 'must be a list');
  assert.is(told('ModelRequestRateLimitGroup', '{"vip":5}'), 'vip: must be a list');
  assert.is(told('UserUsableGroups', '{"vip":5}'), 'vip: must be text');
  assert.is(told('QuotaPerUnit', '1e999'), 'must be a number');
  assert.is(told('StreamDrainSeconds', '{"openai":5}'), 'openai: must be default or the number of a channel type');
  assert.is(told('ToolPrice', '{"a,b":1}'), 'a,b: must be a name such as tool or tool:prefix*');
  assert.is(told('claude.model_headers_settings', '{"m":{"x-a":1}}'), 'm.x-a: must be text or a list of texts');
  const keys = Object.keys(optionTable).filter(isOptionKey);
  const reasons = keys.flatMap((key) => hostile.map((text) => told(key, text)));
  assert.equal(
    reasons.filter((one) => /of type|wrong form|Invalid/.test(one)),
    [],
  );
});

test('keep the place and the figures', () => {
  assert.is(chineseReason('must be at least 3'), '不得小于 3');
  assert.is(chineseReason('default.0: must be one of a, b'), 'default.0：必须是以下之一：a, b');
  assert.match(
    chineseReason('entry 2: is not a regular expression of RE2 (no look-around, no back references)'),
    /^第 2 项：/,
  );
  assert.is(chineseReason('entry 3: link: must be text'), '第 3 项：link：必须是文本');
  assert.is(chineseReason('entry "a \\"b: c": is in the list already'), '条目 "a \\"b: c"：已在列表中');
  const params = { key: 'RetryTimes', reason: 'must be a whole number' };
  assert.is(formatError('option_invalid', params, 'zh'), 'RetryTimes：必须是整数');
  assert.is(formatError('option_invalid', params, 'en'), 'RetryTimes: must be a whole number');
});

test.run();
