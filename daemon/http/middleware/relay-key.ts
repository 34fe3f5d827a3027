/** Relay keys on the few management paths that take one (management-api.md 2.6). */
import type { TokenRecord } from '../../store/tokens.ts';
import type { UserRecord } from '../../store/users.ts';

/** The key that a caller presented, with its user. */
export interface RelayKeyCaller {
  readonly token: TokenRecord;
  readonly user: UserRecord;
}

/** Resolves the key of an `Authorization` header; throws as 2.6 says. `read` lets expired and exhausted keys pass. */
export type RelayKeyCheck = (presented: {
  readonly authorization: string | undefined;
  readonly clientAddress: string;
  readonly level: 'use' | 'read';
}) => Promise<RelayKeyCaller>;
