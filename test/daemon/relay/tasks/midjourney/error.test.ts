import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { midjourneyError, midjourneyStatus } from '../../../../../daemon/relay/tasks/midjourney/error.ts';

const test = suite('refusals of the drawing proxy');

/** Status, number and first word of a refusal, as clients of the proxy get it. */
function shown(status: number, code: string) {
  const refusal = { status, code, message: 'told' };
  const { description, type, code: number } = midjourneyError(refusal);
  assert.is(type, 'tollgate_error');
  return [midjourneyStatus(refusal), number, description];
}

test('say by their number whether the load, the lack of a channel, the request or the gateway is at fault', () => {
  assert.equal(shown(429, 'rate_limited'), [429, 30, 'rate_limited told']);
  for (const code of ['model_not_found', 'no_channel_for_model', 'endpoint_not_served']) {
    assert.equal(shown(503, code), [503, 3, `${code} told`]);
  }
  assert.equal(shown(404, 'task_no_found'), [404, 4, 'task_no_found told']);
  assert.equal(shown(401, 'access_denied'), [401, 4, 'access_denied told']);
  assert.equal(shown(403, 'ip_not_allowed'), [403, 4, 'ip_not_allowed told']);
});

test('come as 400 where the published words say it all', () => {
  assert.equal(shown(413, 'read_request_body_failed'), [400, 4, 'bind_request_body_failed told']);
  assert.equal(shown(403, 'insufficient_user_quota'), [400, 4, 'quota_not_enough told']);
  assert.equal(shown(403, 'insufficient_token_quota'), [400, 4, 'quota_not_enough told']);
  assert.equal(shown(502, 'do_request_failed'), [400, 5, 'do_request_failed told']);
  assert.equal(shown(502, 'empty_response'), [400, 5, 'empty_response_body told']);
  assert.equal(shown(502, 'bad_response_body'), [400, 5, 'unmarshal_response_body_failed told']);
  assert.equal(shown(500, 'insert_midjourney_task_failed'), [400, 5, 'insert_midjourney_task_failed told']);
});

test.run();
