/** Relay keys on the few management paths that take one (management-api.md 2.6). */
import { TollgateError } from '../../errors.ts';
import { AddressList } from '../../gateway/address-list.ts';
import type { TokenRecord } from '../../store/tokens.ts';
import type { UserRecord } from '../../store/users.ts';

/** The key that a caller presented, with its user. */
export interface RelayKeyCaller {
  readonly token: TokenRecord;
  readonly user: UserRecord;
}

/** What a request shows of its key; `read` lets expired and exhausted keys pass. */
export interface PresentedRelayKey {
  readonly authorization: string | undefined;
  readonly clientAddress: string;
  readonly level: 'use' | 'read';
}

/** Resolves a key. Throws `setup_required`, `access_denied`, `token_*`, `user_disabled`, `ip_not_allowed`. */
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
  return async ({ authorization, clientAddress, level }) => {
    if (!deps.setupDone()) throw new TollgateError('setup_required', {}, { retryAfterSeconds: 5 });
    const key = keyOf(authorization);
    const found = key === undefined ? undefined : await deps.resolve(deps.tokenHash(key));
    if (!found) throw new TollgateError('access_denied');
    const { token, user } = found;
    if (token.status === disabled) throw new TollgateError('token_disabled');
    if (level === 'use') requireUsable(token, deps.nowSeconds());
    if (user.deletedAt !== null || user.status !== enabled) throw new TollgateError('user_disabled');
    if (!new AddressList(token.allowIps ?? '').admits(clientAddress)) throw new TollgateError('ip_not_allowed');
    return found;
  };
}

function requireUsable(token: TokenRecord, nowSeconds: number): void {
  const isExpired = token.expiredTime !== -1 && token.expiredTime < nowSeconds;
  if (token.status === 3 || isExpired) throw new TollgateError('token_expired');
  if (token.status === 4 || (!token.unlimitedQuota && token.remainQuota <= 0))
    throw new TollgateError('token_exhausted');
  if (token.status !== enabled) throw new TollgateError('token_disabled');
}

/** The 48 characters of a key; its shape is checked before any look-up (S17). */
function keyOf(authorization: string | undefined): string | undefined {
  const text = (authorization ?? '')
    .trim()
    .replace(/^bearer\s+/i, '')
    .replace(/^sk-/, '');
  // A channel selector may follow; it means nothing here.
  const key = text.split('-', 1)[0] ?? '';
  return /^[A-Za-z0-9]{48}$/.test(key) ? key : undefined;
}
