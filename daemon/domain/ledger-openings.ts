/**
 * What accounts, keys and channels bring along that were kept by other books before: balances become credits with a row
 * each, what was used remains a figure, since its rows stay where they are. Inside the caller's transaction.
 */
import type { Stores } from '../store/database.ts';
import type { ChannelSettlement, TokenSettlement, UserSettlement } from '../store/ledger-rows.ts';
import type { NewLogRow } from '../store/logs.ts';

/** One statement carries as many. */
const chunk = 500;

/** Opens the balances of new accounts, a row of the log for each. A negative one is a debt. */
export async function openAccounts(
  stores: Stores,
  { users, rows }: { readonly users: readonly UserSettlement[]; readonly rows: readonly NewLogRow[] },
): Promise<void> {
  for (let from = 0; from < users.length; from += chunk) {
    const to = from + chunk;
    await stores.ledger.applySettlements({ users: users.slice(from, to), rows: rows.slice(from, to) });
  }
}

/** Gives new keys what they had left and had used. */
export async function openTokens(stores: Stores, tokens: readonly TokenSettlement[]): Promise<void> {
  for (let from = 0; from < tokens.length; from += chunk) {
    await stores.ledger.applySettlements({ tokens: tokens.slice(from, from + chunk) });
  }
}

/** Notes what new channels had been used for. */
export async function openChannels(stores: Stores, channels: readonly ChannelSettlement[]): Promise<void> {
  for (let from = 0; from < channels.length; from += chunk) {
    await stores.ledger.applySettlements({ channels: channels.slice(from, from + chunk) });
  }
}
