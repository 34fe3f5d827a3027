/** What Anthropic's refusals mean, wherever its models are served. Source: providers/anthropic.md, read 2026-11. */
import type { FailureRule } from '../../failure.ts';

export const anthropicFailures: readonly FailureRule[] = [
  // No codes of their own: both share `invalid_request_error` with every other mistake.
  { status: 400, text: /credit balance is too low/i, means: 'no-credit' },
  { status: 400, text: /organization has been disabled/i, means: 'bad-key' },
  { code: 'billing_error', means: 'no-credit' },
  // The vendor's word for a region that it does not serve.
  { status: 403, text: /^Request not allowed/i, means: 'not-allowed' },
  // The vendor has one code for everything that it does not have.
  { code: 'not_found_error', text: /^model: /, means: 'no-model', lacks: 'model' },
  { code: 'not_found_error', means: 'no-model' },
  { code: 'overloaded_error', means: 'overload' },
  { code: 'rate_limit_error', means: 'rate-limit' },
  { code: 'request_too_large', means: 'bad-request' },
];
