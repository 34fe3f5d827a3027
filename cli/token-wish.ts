/** The machine token that a sign-in ends with: its name, what it may do, and until when. */
import { hostname } from 'node:os';

/** What the token of a sign-in may do, and until when. */
export interface TokenWish {
  /** As typed; all that the role may when absent. */
  scopes?: readonly string[];
  /** Unix seconds; 30 days when absent. */
  expiresAt?: number | undefined;
}

const signInDays = 30;

/** Name and end of the token, and the scopes as typed. */
export function tokenTerms({ scopes = ['*'], expiresAt }: TokenWish): {
  name: string;
  scopes: readonly string[];
  expires_at: number;
} {
  return {
    name: `tollgate on ${hostname()}`.slice(0, 50),
    scopes,
    expires_at: expiresAt ?? Math.floor(Date.now() / 1000) + signInDays * 86_400,
  };
}
