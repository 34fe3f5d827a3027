/**
 * What a client may read of a failure in the middle of a stream; each format writes it in its own shape.
 */
import type { TollgateError, UpstreamFailure } from '../../errors.ts';
import type { ReportedError } from '../canonical/chat.ts';

export interface ShownFailure {
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly message: string;
}

/** Local errors carry their rendered text in `params.message` when the gateway has put it there. */
export function showFailure(error: TollgateError | UpstreamFailure): ShownFailure {
  if ('fields' in error) {
    const { status, type, code, clientText } = error.fields;
    return { status, type, code, message: clientText };
  }
  const { message, status } = error.params;
  return {
    status: typeof status === 'number' ? status : 500,
    type: 'tollgate_error',
    code: error.code,
    message: typeof message === 'string' ? message : error.code,
  };
}

/** An upstream's own report, for callers that did not turn it into a failure first. */
export function showReportedError(error: ReportedError): ShownFailure {
  return {
    status: error.status ?? 502,
    type: error.type ?? 'upstream_error',
    code: error.code ?? 'bad_response_status_code',
    message: error.message,
  };
}

/** The stream ended and no choice had finished. */
export const brokenOff: ShownFailure = {
  status: 502,
  type: 'upstream_error',
  code: 'upstream_eof',
  message: 'the upstream ended its answer before it was complete',
};
