/** What a request shows of its caller, for the rules in `domain/authentication.ts` to judge. */
import { type Presented, userIdHeaders } from '../domain/authentication.ts';
import type { RequestFacts } from './call.ts';

/** Credentials and user-id headers of a request. */
export function presentedBy(
  request: Pick<RequestFacts, 'header' | 'clientAddress'> & Partial<Pick<RequestFacts, 'requestId' | 'userAgent'>>,
  session: Presented['session'],
): Presented {
  const userIds = userIdHeaders.flatMap((name) => {
    const value = request.header(name.toLowerCase());
    return value === undefined ? [] : [{ name, value }];
  });
  const { clientAddress, requestId, userAgent } = request;
  return { authorization: request.header('authorization'), session, userIds, clientAddress, requestId, userAgent };
}
