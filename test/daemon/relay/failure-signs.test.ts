/** What statuses and codes of an upstream say of a channel and its key: the tables of relay.md 11.8 and 12.8, row by row. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { UpstreamFailure } from '../../../daemon/errors.ts';
import { readAs, readFailure } from '../../../daemon/relay/failure.ts';
import type { UpstreamCall } from '../../../daemon/relay/provider.ts';

const call: UpstreamCall = {
  capability: 'chat',
  format: 'openai-chat',
  model: 'gpt-x',
  stream: false,
  baseUrl: 'https://host.example.com/v1',
  other: '',
  organization: '',
  setting: {},
  settings: {},
  options: {},
};

const judge = (status: number, error: object, headers: Readonly<Record<string, string>> = {}) =>
  readFailure({ status, headers, body: JSON.stringify({ error: { message: 'm', ...error } }), call, nowMs: 0 }, 'test')
    .fields;

const test = suite('signs of failures');

test('count a bare refusal and a broken server softly, and a limit, an overload or a client’s fault not at all', () => {
  const soft = [401, 402, 403, 404, 500, 501, 502, 504, 524];
  for (const status of soft) assert.is(judge(status, {}).health, 'soft', `${status}`);
  for (const status of [400, 413, 422, 429, 503, 529]) assert.is(judge(status, {}).health, 'none', `${status}`);
});

test('cool a key that is limited or overloaded, a channel that is broken, and nothing for the client’s sake', () => {
  for (const status of [503, 529]) {
    assert.equal(judge(status, {}).cooling, { scope: 'key', cause: 'overload' }, `${status}`);
  }
  assert.equal(judge(429, {}).cooling, { scope: 'key', cause: 'rate-limit' });
  for (const status of [500, 502, 504]) {
    assert.equal(judge(status, {}).cooling, { scope: 'channel', cause: 'failure' }, `${status}`);
  }
  for (const status of [400, 401, 402, 403, 404, 408, 413, 422]) assert.is(judge(status, {}).cooling, undefined);
});

test('are hard where a code or type tells of a key or an account that is used up', () => {
  for (const word of [
    'invalid_api_key',
    'account_deactivated',
    'authentication_error',
    'Arrearage',
    'insufficient_quota',
    'insufficient_user_quota',
    'billing_not_active',
  ]) {
    for (const error of [{ code: word }, { type: word }]) {
      for (const status of [400, 401, 403]) assert.is(judge(status, error).health, 'hard', `${status} ${word}`);
    }
  }
  for (const type of ['permission_error', 'forbidden']) {
    assert.equal([judge(401, { type }).health, judge(403, { type }).health], ['hard', 'hard'], type);
    assert.equal([judge(400, { type }).health, judge(500, { type }).health], ['none', 'soft'], type);
  }
});

test('stay hard under another status', () => {
  const gone = new UpstreamFailure(judge(401, { code: 'invalid_api_key' }));
  assert.is(readAs(gone, 500).fields.health, 'hard');
});

test('wait for the limit that is used up, and not for limits that are told with an overload', () => {
  const limits = {
    'x-ratelimit-reset-requests': '2s',
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-tokens': '50s',
    'x-ratelimit-remaining-tokens': '9',
  };
  assert.is(judge(429, {}, limits).cooling?.retryAfterMs, 2000);
  assert.is(judge(503, {}, limits).cooling?.retryAfterMs, undefined);
  assert.is(judge(503, {}, { ...limits, 'retry-after': '7' }).cooling?.retryAfterMs, 7000);
});

test.run();
