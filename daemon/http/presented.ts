/** What a request shows of its caller, for the rules in `domain/authentication.ts` to judge. */
import type { IncomingMessage } from 'node:http';
import { type Presented, userIdHeaders } from '../domain/authentication.ts';
import type { RequestFacts } from './call.ts';
import { readSessionCookie, type SessionSigner } from './session-cookie.ts';

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

/** The same of a request that no endpoint of the contract takes. */
export function presentedIn(
  request: IncomingMessage,
  { clientAddress, signer }: { readonly clientAddress: string; readonly signer: SessionSigner },
): Presented {
  const header = (name: string): string | undefined => {
    const value = request.headers[name];
    return Array.isArray(value) ? value.join(',') : value;
  };
  return presentedBy({ header, clientAddress }, readSessionCookie(request, signer));
}
