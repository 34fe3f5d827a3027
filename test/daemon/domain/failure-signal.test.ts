import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { healthSignalOf } from '../../../daemon/domain/failure-signal.ts';
import type { UpstreamFailureFields } from '../../../daemon/errors.ts';
import { optionsView } from '../../support/options-view.ts';

const signal = suite('domain/failure-signal');

const failure = (over: Partial<UpstreamFailureFields>): UpstreamFailureFields => ({
  provider: 'openai',
  upstreamStatus: 500,
  status: 500,
  type: 'upstream_error',
  code: 'bad_response_status_code',
  clientText: 'failed',
  operatorText: 'failed',
  retry: 'next-channel',
  health: 'soft',
  ...over,
});

signal('keeps what the adapter judged hard, soft or none', () => {
  for (const health of ['hard', 'soft', 'none'] as const) {
    assert.is(healthSignalOf(failure({ health }), optionsView()), health);
  }
});

signal('counts no client error, rate limit or overload, whatever the text or the adapter says', () => {
  for (const status of [400, 413, 422, 429, 503, 529]) {
    const refused = failure({ status, upstreamStatus: status, health: 'hard', operatorText: 'Permission denied' });
    assert.is(healthSignalOf(refused, optionsView()), 'none', String(status));
  }
});

signal('takes a status of the operator list as hard', () => {
  const options = optionsView({ AutomaticDisableStatusCodes: [{ from: 401, to: 403 }] });
  assert.is(healthSignalOf(failure({ status: 402, upstreamStatus: 402 }), options), 'hard');
  assert.is(healthSignalOf(failure({ status: 404, upstreamStatus: 404 }), options), 'soft');
});

signal('counts a status that says little of a channel only where the operator lists it, or a word of its text', () => {
  const conflict = failure({ status: 409, upstreamStatus: 409, health: 'listed', operatorText: 'account locked' });
  assert.is(healthSignalOf(conflict, optionsView()), 'none');
  const byStatus = optionsView({ AutomaticDisableStatusCodes: [{ from: 409, to: 410 }] });
  assert.is(healthSignalOf(conflict, byStatus), 'hard');
  assert.is(healthSignalOf(conflict, optionsView({ AutomaticDisableKeywords: ['Account Locked'] })), 'hard');
});

signal('does not apply the status list to an upstream that never answered', () => {
  const options = optionsView({ AutomaticDisableStatusCodes: [{ from: 502, to: 502 }] });
  const { upstreamStatus: _, ...transport } = failure({ status: 502, code: 'do_request_failed' });
  assert.is(healthSignalOf(transport, options), 'soft');
});

signal('takes an operator keyword as hard in any case', () => {
  const text = 'Error: YOUR CREDIT BALANCE IS TOO LOW to run this';
  assert.is(healthSignalOf(failure({ status: 403, operatorText: text }), optionsView()), 'hard');
});

signal('takes a channel without a usable key as hard', () => {
  const local = failure({ status: 500, code: 'channel:no_available_key', health: 'none' });
  assert.is(healthSignalOf(local, optionsView()), 'hard');
});

signal.run();
