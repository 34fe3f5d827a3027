import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatError } from '../../../daemon/contract/error-codes.ts';
import { checkConfiguration } from '../../../daemon/domain/channel-configuration.ts';
import { completeChannel } from '../../../daemon/domain/channel-input.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import type { ChannelPatch } from '../../../daemon/store/channels.ts';

const test = suite('domain/channel-configuration');

function errorOf(work: () => unknown): TollgateError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof TollgateError) return error;
    throw error;
  }
}

const patches = {
  model_mapping: (text: string): ChannelPatch => ({ modelMapping: text }),
  status_code_mapping: (text: string): ChannelPatch => ({ statusCodeMapping: text }),
  param_override: (text: string): ChannelPatch => ({ paramOverride: text }),
  setting: (text: string): ChannelPatch => ({ setting: text }),
} as const;
type Field = keyof typeof patches;

const operations = (...list: object[]) => ({ operations: list });
const chain = (length: number) =>
  Object.fromEntries(Array.from({ length }, (_, index) => [`m${index}`, `m${index + 1}`]));

const refused: readonly (readonly [field: Field, value: unknown, place: string])[] = [
  ['model_mapping', { a: '' }, 'a'],
  ['model_mapping', { a: 'b', c: ['d'] }, 'c'],
  ['model_mapping', { a: 'b', b: 'a' }, 'a'],
  ['model_mapping', { '*': 'a', a: 'b', b: 'c', c: 'a' }, '*'],
  ['model_mapping', chain(11), 'm0'],
  ['status_code_mapping', { '4xx': '500' }, '4xx'],
  ['status_code_mapping', { '400': '5.5' }, '400'],
  ['status_code_mapping', { '429': '503', '400': null }, '400'],
  ['status_code_mapping', { '429': '503', '400': '200' }, '400'],
  ['status_code_mapping', { '404': 204 }, '404'],
  ['param_override', { operations: {} }, 'operations'],
  ['param_override', { operations: [], temperature: 1 }, 'temperature'],
  ['param_override', { '__proto__.x': 1, constructor: 2 }, 'constructor'],
  ['param_override', operations({ mode: 'put', path: 'a' }), 'operations.0.mode'],
  ['param_override', operations({ mode: 'delete', path: 'a' }, { mode: 'set', path: 'b' }), 'operations.1.value'],
  ['param_override', { operations: ['set'] }, 'operations.0'],
  ['param_override', operations({ mode: 'move', from: 'a', to: 'b..c' }), 'operations.0.to'],
  ['param_override', operations({ mode: 'regex_replace', path: 'a', from: '(?=x)' }), 'operations.0.from'],
  ['param_override', operations({ mode: 'return_error', value: { message: '' } }), 'operations.0.value.message'],
  [
    'param_override',
    operations({ mode: 'return_error', value: { message: 'no', status_code: 200 } }),
    'operations.0.value.status_code',
  ],
  ['param_override', operations({ mode: 'set_header', path: 'x a', value: 'b' }), 'operations.0.path'],
  ['param_override', operations({ mode: 'set_header', path: 'x-a', value: 'b\nc' }), 'operations.0.value'],
  ['param_override', operations({ mode: 'delete_header', path: 'Host' }), 'operations.0.path'],
  ['param_override', operations({ mode: 'delete', path: 'a', logic: 'and' }), 'operations.0.logic'],
  ['param_override', operations({ mode: 'set', path: 'a', value: 1, keep_origin: 'true' }), 'operations.0.keep_origin'],
  ['param_override', operations({ mode: 'replace', path: 'a', from: 'b', to: 5 }), 'operations.0.to'],
  [
    'param_override',
    operations({ mode: 'delete', path: 'a', conditions: [{ path: 'b' }, { path: 'c', invert: 'true' }] }),
    'operations.0.conditions.1.invert',
  ],
  [
    'param_override',
    operations({ mode: 'delete', path: 'a', conditions: { path: 'b', pass_missing_key: 1 } }),
    'operations.0.conditions.pass_missing_key',
  ],
  [
    'param_override',
    operations({ mode: 'delete', path: 'a', conditions: [{ path: 'b', mode: 'like' }] }),
    'operations.0.conditions.0.mode',
  ],
  [
    'param_override',
    operations({ mode: 'delete', path: 'a', conditions: [{ path: 'b', mode: 'gt', value: '5' }] }),
    'operations.0.conditions.0.value',
  ],
  ['setting', { header_override: { 'Content-Length': '1' } }, 'header_override.Content-Length'],
  ['setting', { header_override: { '*': '' } }, 'header_override.*'],
  ['setting', { header_override: { 'x-a': 'b', 'x-b': true } }, 'header_override.x-b'],
  ['setting', { header_override: { 'x-a': '{client_header:Cookie}' } }, 'header_override.x-a'],
  ['setting', { pass_headers: ['x-a', 'b c'] }, 'pass_headers.1'],
  ['setting', { pass_headers: [' x-a'] }, 'pass_headers.0'],
  ['setting', { user_agent: 'a\r\nx: y' }, 'user_agent'],
  ['setting', { proxy: 'http://user:pass:7@' }, 'proxy'],
  ['setting', { cost_ratio: 1e9 }, 'cost_ratio'],
];
for (const [field, value, place] of refused) {
  test(`refuses ${field} ${JSON.stringify(value).slice(0, 90)} at ${place}`, () => {
    const error = errorOf(() => checkConfiguration(patches[field](JSON.stringify(value))));
    if (error === undefined) return assert.unreachable('taken');
    assert.is(error.code, field === 'setting' ? 'channel_setting_invalid' : 'channel_rule_invalid');
    assert.is(error.field, `${field}.${place}`);
    const chinese = formatError(error.code, error.params, 'zh');
    assert.match(chinese.slice(chinese.indexOf('：')), /[\u4e00-\u9fff]/, chinese);
  });
}

const accepted: readonly (readonly [field: Field, value: unknown])[] = [
  ['model_mapping', { a: 'a', b: 'c', '*': 'd' }],
  ['model_mapping', chain(10)],
  ['status_code_mapping', { '400': '500', '404': 503, '405': 307, '429': 600 }],
  ['param_override', { temperature: 0, 'a.b': null }],
  ['param_override', operations({ mode: 'set', path: 'a.-1', value: null, logic: 'AND', conditions: { path: 'b' } })],
  ['param_override', operations({ mode: 'replace', path: 'a', from: 'b', keep_origin: null, conditions: null })],
  ['param_override', operations({ mode: 'set_header', path: 'X-Key', value: 'k {api_key} {client_header:X-Other}' })],
  ['setting', { header_override: { 'x-a': null, 'User-Agent': 'é' }, pass_headers: ['X-A'], user_agent: 'me/1' }],
  ['setting', { pass_headers: ['Authorization', 'X-A'] }],
  ['setting', { somebody_elses: '\n', header_override: null }],
];
for (const [field, value] of accepted) {
  test(`takes ${field} ${JSON.stringify(value).slice(0, 90)}`, () => {
    assert.is(
      errorOf(() => checkConfiguration(patches[field](JSON.stringify(value)))),
      undefined,
    );
  });
}

test('takes JSON of many levels, as long as they can be walked', () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  assert.is(
    errorOf(() => checkConfiguration({ setting: nested(64) })),
    undefined,
  );
  for (const setting of [nested(65), `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`]) {
    const error = errorOf(() => checkConfiguration({ setting }));
    assert.equal(error?.params, { place: 'setting', reason: 'is nested deeper than 64 levels' });
  }
  for (const setting of ['[]', '{"a":']) {
    assert.is(errorOf(() => checkConfiguration({ setting }))?.code, 'channel_json_invalid');
  }
});

test('refuses what could not go into the header that it is meant for', () => {
  const named = { openaiOrganization: '组织' };
  assert.is(errorOf(() => checkConfiguration(named))?.field, 'openai_organization');
  assert.is(errorOf(() => checkConfiguration({ type: 107, other: 'a\nb' }))?.field, 'other');
  assert.is(
    errorOf(() => checkConfiguration({ type: 21, other: '知识库' })),
    undefined,
  );
});

test('takes locations alone as regions', () => {
  const vertex = (other: string) => () =>
    completeChannel({ type: 41, other, models: 'gemini-2.5-flash', modelPrefix: '' });
  for (const other of ['us-central1|x', '{"default":"global","m":["eu","us-east5"]}']) {
    assert.is(errorOf(vertex(other)), undefined, other);
  }
  for (const [other, field] of [
    ['evil.example/', 'other'],
    ['{"default":"global","m":[]}', 'other.m'],
    ['{"default":5}', 'other.default'],
  ] as const) {
    const error = errorOf(vertex(other));
    assert.equal([error?.code, error?.field], ['channel_rule_invalid', field]);
  }
});

test('refuses numbers in an override that would be sent as others, not texts of digits', () => {
  for (const number of ['9007199254740993', '-12345678901234567890', '1e400', `1${'0'.repeat(400)}`]) {
    const error = errorOf(() => checkConfiguration({ paramOverride: `{"seed": ${number}}` }));
    assert.equal([error?.code, error?.field], ['channel_rule_invalid', 'param_override'], number);
    if (error) assert.match(formatError(error.code, error.params, 'zh'), '超出可精确表示的整数范围');
  }
  const fine =
    '{"a": 9007199254740992, "b": "9007199254740993", "c\\" 9007199254740993": 0.30000000000000004, "d": -1e300, "e": [true, false, null, 2.5E-3]}';
  assert.is(
    errorOf(() => checkConfiguration({ paramOverride: fine })),
    undefined,
  );
});

test.run();
