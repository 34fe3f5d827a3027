import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { UpstreamFailure } from '../../../daemon/errors.ts';
import {
  brokenTransport,
  type FailedAttempt,
  isClientFault,
  underStatus,
} from '../../../daemon/gateway/attempt-failure.ts';
import { TransportError } from '../../../daemon/upstream/transport-error.ts';

const failures = suite('failures of attempts');
const origin = { adapter: { id: 'openai' } };

failures('blame no channel, and try no other, where the node itself can open no connection', () => {
  const cause = Object.assign(new Error('connect EMFILE'), { code: 'EMFILE' });
  const { failure, nature } = brokenTransport(origin, new TransportError('exhausted', false, cause), 'before-head');
  const { status, code, health, cooling, retryAfterSeconds, operatorText } = failure.fields;
  assert.equal([nature, status, code, health, cooling], ['local', 503, 'over_capacity', 'none', undefined]);
  assert.is(retryAfterSeconds, 1);
  assert.match(operatorText, /EMFILE/);
  const refused = brokenTransport(origin, new TransportError('connect', false, new Error('refused')), 'before-head');
  assert.equal([refused.nature, refused.failure.fields.cooling?.scope], ['unsent', 'channel']);
});

/** An upstream's answer of that status. */
const answered = (status: number, upstreamStatus = status): FailedAttempt => ({
  nature: 'status',
  failure: new UpstreamFailure({
    provider: 'openai',
    status,
    upstreamStatus,
    type: 'upstream_error',
    code: 'x',
    clientText: 'x',
    operatorText: 'x',
    retry: 'next-channel',
    health: 'soft',
  }),
});

failures('tell the client what to repair by 400, 413 and 422 of the upstream itself, and by no other status', () => {
  const told = [400, 401, 404, 408, 409, 413, 415, 422, 429, 500].filter((status) => isClientFault(answered(status)));
  assert.equal(told, [400, 413, 422]);
  assert.is(isClientFault(answered(500, 400)), true, 'mapped from it');
  assert.is(isClientFault(answered(400, 500)), false, 'mapped to it');
});

failures('have the status that the channel gives them, but for errors inside a 200', () => {
  const mapping = new Map([
    [400, 500],
    [502, 429],
  ]);
  const statusOf = (failed: FailedAttempt) => underStatus(failed, mapping).failure.fields;
  assert.equal([statusOf(answered(400)).status, statusOf(answered(400)).upstreamStatus], [500, 400]);
  assert.is(statusOf(answered(401)).status, 401);
  assert.is(statusOf(answered(502)).status, 429);
  assert.is(statusOf(answered(502, 200)).status, 502);
  const local: FailedAttempt = { ...answered(400), nature: 'local' };
  assert.is(statusOf(local).status, 400);
});

failures.run();
