import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderError, statusOn } from '../../../../../daemon/relay/error-body.ts';

const test = suite('relay/tasks/suno: errors');

test('have the words and statuses that clients of music tasks know', () => {
  for (const [code, status, word, shown] of [
    ['invalid_request', 400, 'invalid_request', 400],
    ['read_request_body_failed', 413, 'invalid_request', 413],
    ['insufficient_user_quota', 403, 'quota_not_enough', 403],
    ['insufficient_token_quota', 403, 'quota_not_enough', 403],
    ['accounting_unavailable', 503, 'get_user_quota_failed', 503],
    ['do_request_failed', 502, 'do_request_failed', 500],
    ['bad_response_body', 502, 'unmarshal_response_body_failed', 500],
    ['bad_response_status_code', 504, 'fail_to_fetch_task', 504],
    ['task_not_exist', 404, 'task_not_exist', 404],
    ['access_denied', 401, 'access_denied', 401],
  ] as const) {
    const error = { status, code, type: 'tollgate_error', message: 'm', param: null };
    assert.equal(renderError('suno', error, 'id'), { code: word, message: 'm', data: null }, code);
    assert.is(statusOn('suno', error), shown, code);
  }
});

test('say their code where they have no other words', () => {
  const error = {
    status: 404,
    code: 'task_not_exist',
    type: 'tollgate_error',
    message: '(request id: 1)',
    param: null,
  };
  assert.is(renderError('suno', error, '1').message, 'task_not_exist (request id: 1)');
});

test.run();
