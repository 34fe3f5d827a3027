/** The cookie that names a session (management-api.md 2.1). Its value is signed; the session itself lives in the database. */
import type { IncomingMessage } from 'node:http';
import type { SessionCookie } from './call.ts';

const cookieName = 'session';
const lifeSeconds = 2_592_000;

export interface SessionSigner {
  signSession(id: string): string;
  /** The id of a validly signed value. */
  verifySession(value: string): string | undefined;
}

/** Session id in the request's cookie; `invalid` when the cookie was not signed by us. */
export function readSessionCookie(request: IncomingMessage, signer: SessionSigner): string | 'invalid' | undefined {
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const [name, ...rest] = part.split('=');
    if (name?.trim() !== cookieName) continue;
    const value = rest.join('=').trim();
    if (value === '') return undefined;
    return signer.verifySession(value) ?? 'invalid';
  }
  return undefined;
}

/** The cookie of one call; `send` adds a `Set-Cookie` header to its answer. */
export function sessionCookie(facts: {
  readonly presented: string | 'invalid' | undefined;
  readonly isSecure: boolean;
  readonly signer: SessionSigner;
  readonly send: (header: string) => void;
}): SessionCookie {
  const { presented, isSecure, signer, send } = facts;
  const write = (value: string, maxAge: number): void => {
    const attributes = [`${cookieName}=${value}`, 'Path=/', `Max-Age=${maxAge}`, 'HttpOnly', 'SameSite=Strict'];
    if (isSecure) attributes.push('Secure');
    send(attributes.join('; '));
  };
  return {
    id: presented === 'invalid' ? undefined : presented,
    set: (id) => write(signer.signSession(id), lifeSeconds),
    clear: () => write('', 0),
  };
}
