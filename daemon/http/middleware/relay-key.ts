/** Relay keys on the few management paths that take one (management-api.md 2.6). */

import { AddressList } from '../../domain/address-list.ts';
import { refusalOfToken } from '../../domain/token-state.ts';
import { TollgateError } from '../../errors.ts';
import { presentedKey } from '../../gateway/authenticate.ts';
import type { TokenRecord } from '../../store/tokens.ts';
import type { UserRecord } from '../../store/users.ts';

/** The key that a caller presented, with its user. */
export interface RelayKeyCaller {
  readonly token: TokenRecord;
  readonly user: UserRecord;
}

/** Where a key may stand outside the query (relay.md 3.1). */
export const keyHeaders = ['authorization', 'x-api-key', 'api-key'] as const;
export type KeyHeader = (typeof keyHeaders)[number];

/** What a request shows of its key; `read` lets expired and exhausted keys pass. */
export interface PresentedRelayKey {
  /** Those that may carry it; lower-case names. */
  readonly headers: Readonly<Partial<Record<KeyHeader, string | undefined>>>;
  readonly clientAddress: string;
  readonly level: 'use' | 'read';
}

/** Resolves a key. Throws `setup_required`, `access_denied`, `credentials_conflict`, `token_*`, `user_disabled`, `ip_not_allowed`. */
export type RelayKeyCheck = (presented: PresentedRelayKey) => Promise<RelayKeyCaller>;

export interface RelayKeyDeps {
  readonly tokenHash: (key: string) => string;
  /** The live token with this look-up hash and its user, at most 2 s old. */
  readonly resolve: (keyHash: string) => RelayKeyCaller | undefined | Promise<RelayKeyCaller | undefined>;
  readonly nowSeconds: () => number;
  /** False while there is nobody whom a key could belong to (relay.md 1.1). */
  readonly setupDone: () => boolean;
}

const enabled = 1;
const disabled = 2;

export function createRelayKeyCheck(deps: RelayKeyDeps): RelayKeyCheck {
  return async ({ headers, clientAddress, level }) => {
    if (!deps.setupDone()) throw new TollgateError('setup_required', {}, { retryAfterSeconds: 5 });
    // A channel selector may follow the key; it means nothing here.
    const { key } = presentedKey({ headers: { ...headers }, queryKey: undefined }, 'none');
    const found = await deps.resolve(deps.tokenHash(key));
    if (!found) throw new TollgateError('access_denied');
    const { token, user } = found;
    if (token.status === disabled) throw new TollgateError('token_disabled');
    const refusal = level === 'use' ? refusalOfToken(token, deps.nowSeconds()) : undefined;
    if (refusal) throw new TollgateError(refusal);
    if (user.deletedAt !== null || user.status !== enabled) throw new TollgateError('user_disabled');
    if (!new AddressList(token.allowIps ?? '').admits(clientAddress)) throw new TollgateError('ip_not_allowed');
    return found;
  };
}
