/** A refusal that an operator wrote into an override (relay.md 12.5). */
import { UpstreamFailure } from '../errors.ts';
import type { OverrideRefusal } from '../relay/param-override-rules.ts';
import type { FailedAttempt } from './attempt-failure.ts';
import type { CallTemplate } from './call-template.ts';

/** The answer that the operator wrote into an override: Tollgate's own, the same everywhere. */
export function refusedBy(template: CallTemplate, refusal: OverrideRefusal): FailedAttempt {
  const { status, code, type, message } = refusal;
  const failure = new UpstreamFailure({
    provider: template.adapter.id,
    status,
    type,
    code,
    clientText: message,
    operatorText: message,
    retry: 'never',
    health: 'none',
  });
  return { failure, nature: 'local' };
}
