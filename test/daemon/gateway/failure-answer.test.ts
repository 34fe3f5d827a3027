import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { UpstreamFailure } from '../../../daemon/errors.ts';
import { shownError } from '../../../daemon/gateway/failure-answer.ts';
import { readAs } from '../../../daemon/relay/failure.ts';

const test = suite('gateway/failure-answer');

const view = { hideUpstreamErrors: false, exposeCredentialErrors: false, language: 'en' } as const;
const refused = new UpstreamFailure({
  provider: 'openai',
  upstreamStatus: 403,
  status: 403,
  type: 'some_error',
  code: 'key_refused',
  clientText: 'this key may not do that',
  operatorText: 'this key may not do that',
  retry: 'next-key',
  health: 'soft',
  aboutCredential: true,
});
const shown = (failure: UpstreamFailure, over = {}) => {
  const { status, code, message } = shownError(failure, { ...view, ...over }, 'id');
  return [status, code, message];
};

test('shows the status that the operator gives a refusal of the key, and still nothing of what it said', () => {
  const neutral = ['upstream_auth_failed', 'upstream rejected the request (request id: id)'];
  assert.equal(shown(refused), [502, ...neutral]);
  assert.equal(shown(readAs(refused, 503)), [503, ...neutral]);
  assert.equal(shown(readAs(refused, 401)), [502, ...neutral]);
  const [status, , message] = shown(readAs(refused, 429));
  assert.equal([status, String(message).startsWith('upstream load of the current group')], [429, true]);
  const raw = shown(readAs(refused, 401), { exposeCredentialErrors: true });
  assert.equal(raw, [401, 'key_refused', 'this key may not do that (request id: id)']);
});

test('shows a status under which nothing can be said as a bad gateway, since the client would wait on or read nothing', () => {
  const said = new UpstreamFailure({ ...refused.fields, aboutCredential: false });
  for (const status of [100, 101, 103, 199, 204, 205, 304]) {
    assert.equal(shown(readAs(said, status)), [502, 'key_refused', 'this key may not do that (request id: id)']);
  }
  assert.is(shown(readAs(said, 307))[0], 307);
});

test.run();
