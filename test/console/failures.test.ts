/** The exact texts of failures (console.md 4.7), and the fields that refusals belong to. */
import { createInstance } from 'i18next';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { failureText, fieldOfRefusal, isGivenUp } from '../../console/api/failures.ts';
import { texts as en } from '../../console/i18n/catalogues/en/components.ts';
import { texts as zh } from '../../console/i18n/catalogues/zh/components.ts';
import { ApiError } from '../../daemon/contract/client.ts';

const test = suite('console/failures');

const instance = createInstance();
await instance.init({
  lng: 'zh',
  resources: { zh: { components: zh }, en: { components: en } },
  showSupportNotice: false,
  interpolation: { escapeValue: false, prefix: '{', suffix: '}' },
});

const refused = (status: number, more: Partial<{ code: string; retryAfter: number; field: string }> = {}) =>
  new ApiError({ code: 'x', message: '额度不足', status, ...more });

test('every case says its text in both languages', () => {
  const cases: [ApiError, string, string][] = [
    [refused(200), '错误：额度不足', 'Error: 额度不足'],
    [refused(403), '错误：额度不足', 'Error: 额度不足'],
    [refused(418), '错误：额度不足', 'Error: 额度不足'],
    [refused(401), '未登录或登录已过期，请重新登录！', 'Not logged in or login expired, please log in again'],
    [refused(404), '记录不存在或已被删除', 'This record does not exist or was deleted'],
    [refused(405), '本站仅作演示之用，无服务端！', 'This site is for demo only, no server'],
    [refused(429), '请求过于频繁，请稍后再试！', 'Too many requests, try later'],
    [
      refused(429, { retryAfter: 6.2 }),
      '请求过于频繁，请稍后再试！（7 秒后可重试）',
      'Too many requests, try later (retry in 7 s)',
    ],
    [refused(500), '服务器内部错误，请联系管理员！', 'Internal server error, contact the administrator'],
    [refused(503), '服务暂不可用，请稍后再试', 'Service unavailable, try again later'],
    [refused(0, { code: 'network_error' }), '网络异常，请检查连接', 'Network problem, check the connection'],
    [refused(200, { code: 'invalid_answer' }), '服务器返回了无法识别的内容', 'The server sent something unreadable'],
    [new ApiError({ code: 'invalid_answer', message: 'HTTP 502', status: 502 }), '错误：HTTP 502', 'Error: HTTP 502'],
  ];
  for (const [error, chinese, english] of cases) {
    assert.is(failureText(error, instance.getFixedT('zh', 'components')), chinese);
    assert.is(failureText(error, instance.getFixedT('en', 'components')), english);
  }
});

test('what the console gave up itself is no failure', () => {
  assert.is(isGivenUp(refused(0, { code: 'aborted' })), true);
  assert.is(isGivenUp(refused(0, { code: 'account_changed' })), true);
  assert.is(isGivenUp(refused(0, { code: 'timeout' })), false);
  assert.is(isGivenUp(new Error('aborted')), false);
});

test('a refusal belongs to the field of its code, else to the one that the server names', () => {
  const fields = ['name', 'models', 'setting'];
  assert.is(fieldOfRefusal(refused(200, { field: 'name' }), fields), 'name');
  assert.is(fieldOfRefusal(refused(200, { field: 'models[3]' }), fields), 'models');
  assert.is(fieldOfRefusal(refused(200, { field: 'setting.proxy' }), fields), 'setting');
  assert.is(fieldOfRefusal(refused(200, { field: 'other' }), fields), undefined);
  assert.is(fieldOfRefusal(refused(200, { code: 'name_taken' }), fields, { name_taken: 'name' }), 'name');
  assert.is(fieldOfRefusal(refused(200), fields), undefined);
  assert.is(fieldOfRefusal(new Error('x'), fields), undefined);
});

test.run();
