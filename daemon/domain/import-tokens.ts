/** Keys of another gateway: the same keys go on working, for the accounts that came along. */
import { splitCommaList } from '../contract/comma-list.ts';
import { TollgateError } from '../errors.ts';
import type { TokenSettlement } from '../store/ledger-rows.ts';
import type { NewToken } from '../store/tokens.ts';
import { Cells } from './import-cells.ts';
import type { RowPlace } from './import-report.ts';
import type { ForeignPortions } from './import-source.ts';
import type { TakenUsers } from './import-users.ts';
import { expectSum, type ImportWork, measureOnce } from './import-work.ts';
import { openTokens } from './ledger-openings.ts';
import { addressLines } from './token-input.ts';
import { bareTokenKey, tokenKeyHint, tokenKeyLength, tokenSealContext } from './token-key.ts';
import type { TokenSecrets } from './tokens.ts';

export interface TokenImport {
  readonly portions: ForeignPortions;
  readonly owners: TakenUsers;
  readonly secrets: TokenSecrets;
  /** `once`: a key is kept as a hash alone. */
  readonly reveal: 'always' | 'once';
}

const longestName = 50;
const keyShape = new RegExp(`^[A-Za-z0-9]{${tokenKeyLength}}$`);
const disabled = 2;

export async function importTokens(work: ImportWork, wish: TokenImport): Promise<void> {
  const { tally, stores } = work;
  tally.found('tokens', 0);
  for await (const rows of wish.portions) {
    tally.found('tokens', rows.length);
    const brought: TokenSettlement[] = [];
    for (const row of rows) {
      const settlement = await importToken(work, new Cells(row), wish);
      if (settlement !== undefined) brought.push(settlement);
    }
    if (brought.length > 0) await measureOnce(work, 'tokens');
    await openTokens(stores, brought);
    const [ids, amounts] = [brought.map(({ id }) => id), brought.map(({ refund }) => refund)];
    const remaining = { amount: 'remain_quota', of: 'tokens', ids, amounts } as const;
    tally.sum('tokens', await expectSum(stores, remaining));
  }
}

async function importToken(work: ImportWork, cells: Cells, wish: TokenImport): Promise<TokenSettlement | undefined> {
  const { tally, stores, onClash } = work;
  const place: RowPlace = { kind: 'tokens', id: cells.whole('id') ?? cells.text('id') };
  const userId = wish.owners.get(cells.whole('user_id') ?? 0);
  if (cells.isDeleted) return tally.skip(place, 'deleted');
  if (userId === undefined) return tally.skip(place, 'owner_not_taken');
  const key = bareTokenKey(cells.text('key'));
  const remain = cells.whole('remain_quota');
  const used = cells.whole('used_quota');
  const limits = limitsOf(cells);
  if (!keyShape.test(key)) return tally.fail(place, 'key_shape', 'key');
  if (remain === undefined) return tally.fail(place, 'amount_invalid', 'remain_quota');
  if (used === undefined) return tally.fail(place, 'amount_invalid', 'used_quota');
  if (limits === undefined) return tally.fail(place, 'token_ips_invalid', addressColumn(cells));
  const unlimitedQuota = cells.flag('unlimited_quota');
  // Keys without a limit count down all the same over there, which means nothing.
  if (remain < 0 && !unlimitedQuota) tally.adjust(place, 'amount_negative', 'remain_quota');
  if (used < 0) tally.adjust(place, 'amount_negative', 'used_quota');
  const token = await stores.tokens.insert({
    ...keyOf(key, wish),
    ...limits,
    userId,
    name: cells.line('name', longestName) || `${work.family}-${place.id}`,
    status: statusOf(work, place, cells),
    createdTime: cells.whole('created_time') ?? 0,
    expiredTime: expiryOf(work, place, cells),
    unlimitedQuota,
    group: cells.has('group') ? work.groupOf(cells.line('group', 64)) : '',
  });
  if (token === undefined) return tally.clash(place, 'key_taken', onClash);
  tally.taken('tokens');
  const accessedTime = cells.whole('accessed_time') ?? 0;
  return { id: token.id, refund: Math.max(0, remain), used: Math.max(0, used), accessedTime };
}

function keyOf(key: string, { secrets, reveal }: TokenImport): Pick<NewToken, 'keyHash' | 'keySealed' | 'keyHint'> {
  const keyHash = secrets.tokenHash(key);
  const keySealed = reveal === 'once' ? '' : secrets.seal(tokenSealContext(keyHash), key);
  return { keyHash, keySealed, keyHint: tokenKeyHint(key) };
}

/**
 * What a key is limited to, in the columns of either family. Undefined where addresses cannot be read: leaving them out
 * would open the key to everybody.
 */
function limitsOf(cells: Cells): Pick<NewToken, 'modelLimitsEnabled' | 'modelLimits' | 'allowIps'> | undefined {
  const ownList = splitCommaList(cells.text('models')).join(',');
  const models = splitCommaList(cells.text('model_limits')).join(',');
  try {
    return {
      modelLimitsEnabled: cells.flag('model_limits_enabled') || ownList !== '',
      modelLimits: ownList === '' ? models : ownList,
      allowIps: addressLines(cells.text(addressColumn(cells))),
    };
  } catch (error) {
    if (error instanceof TollgateError) return undefined;
    throw error;
  }
}

function addressColumn(cells: Cells): 'allow_ips' | 'subnet' {
  return cells.has('allow_ips') ? 'allow_ips' : 'subnet';
}

function statusOf({ tally }: ImportWork, place: RowPlace, cells: Cells): number {
  const status = cells.whole('status', 1) ?? 0;
  if (status >= 1 && status <= 4) return status;
  tally.adjust(place, 'status_unknown', 'status');
  return disabled;
}

/** A time that cannot be read is over: a key that was to end must not live on. */
function expiryOf({ tally, nowSeconds }: ImportWork, place: RowPlace, cells: Cells): number {
  const expiry = cells.whole('expired_time', -1);
  if (expiry !== undefined && expiry >= -1) return expiry;
  tally.adjust(place, 'time_invalid', 'expired_time');
  return nowSeconds;
}
