import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { brokenTransport } from '../../../daemon/gateway/attempt-failure.ts';
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

failures.run();
