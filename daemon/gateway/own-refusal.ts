/** Refusals in Tollgate's own words, in the form that upstream failures have. */
import { UpstreamFailure } from '../errors.ts';
import type { FailedAttempt } from './attempt-failure.ts';
import type { CallTemplate } from './call-template.ts';

/** What is told. */
export interface OwnRefusal {
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly message: string;
}

/** Said once and everywhere alike: nobody else is asked, and no channel is to blame. `provider` is for operators. */
export function ownRefusal({ status, type, code, message }: OwnRefusal, provider = ''): UpstreamFailure {
  return new UpstreamFailure({
    provider,
    status,
    type,
    code,
    clientText: message,
    operatorText: message,
    retry: 'never',
    health: 'none',
  });
}

/** The answer that an operator wrote into an override (relay.md 12.5). */
export function refusedBy({ adapter }: Pick<CallTemplate, 'adapter'>, refusal: OwnRefusal): FailedAttempt {
  return { failure: ownRefusal(refusal, adapter.id), nature: 'local' };
}
