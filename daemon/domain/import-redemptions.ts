/** Redemption codes of another gateway, used ones included: a code must not be good a second time. */
import type { ForeignRow } from '../store/foreign-tables.ts';
import type { NewRedemption } from '../store/redemptions.ts';
import { Cells } from './import-cells.ts';
import type { RowPlace } from './import-report.ts';
import type { ForeignPortions } from './import-source.ts';
import type { TakenUsers } from './import-users.ts';
import { expectSum, type ImportWork } from './import-work.ts';

export interface RedemptionImport {
  readonly portions: ForeignPortions;
  /** Who used which gift code. */
  readonly uses: ForeignPortions;
  readonly users: TakenUsers;
}

interface TakenCode {
  readonly place: RowPlace;
  readonly code: NewRedemption;
}

const longestName = 64;
const largestQuota = 10 ** 12;
const keyShape = /^[0-9A-Za-z_-]{4,64}$/;
const disabled = 2;

export async function importRedemptions(work: ImportWork, { portions, uses, users }: RedemptionImport): Promise<void> {
  work.tally.found('redemptions', 0);
  const gifts = new Map<number, number>();
  for await (const rows of portions) await importCodes(work, { rows, users, gifts });
  for await (const rows of uses) await importUses(work, { rows, users, gifts });
}

interface Codes {
  readonly rows: readonly ForeignRow[];
  readonly users: TakenUsers;
  /** Codes that several may use: ids here by the ids there. */
  readonly gifts: Map<number, number>;
}

async function importCodes(work: ImportWork, { rows, users, gifts }: Codes): Promise<void> {
  const { tally, stores, onClash } = work;
  tally.found('redemptions', rows.length);
  const wanted = rows.flatMap((row) => readCode(work, new Cells(row), users) ?? []);
  const inserted = new Map(
    (await stores.redemptions.insert(wanted.map(({ code }) => code))).map(({ key, id }) => [key, id]),
  );
  const taken: { readonly id: number; readonly quota: number }[] = [];
  for (const { place, code } of wanted) {
    const id = inserted.get(code.key);
    // Of two that are alike, the first has the row.
    inserted.delete(code.key);
    if (id === undefined) {
      tally.clash(place, 'code_taken', onClash);
      continue;
    }
    tally.taken('redemptions');
    if (code.isGift) gifts.set(Number(place.id), id);
    taken.push({ id, quota: code.quota });
  }
  const [ids, amounts] = [taken.map(({ id }) => id), taken.map(({ quota }) => quota)];
  const sums = { amount: 'quota', of: 'redemptions', ids, amounts } as const;
  tally.sum('redemptions', await expectSum(stores, sums));
}

function readCode(work: ImportWork, cells: Cells, users: TakenUsers): TakenCode | undefined {
  const { tally } = work;
  const place: RowPlace = { kind: 'redemptions', id: cells.whole('id') ?? cells.text('id') };
  const key = cells.text('key');
  const quota = cells.whole('quota');
  const times = ['created_time', 'redeemed_time', 'valid_from', 'valid_until', 'expired_time'] as const;
  const [createdTime, redeemedTime, validFrom, validUntil, expiredTime] = times.map((name) => cells.whole(name));
  const isTimed = [createdTime, redeemedTime, validFrom, validUntil, expiredTime].every((time) => (time ?? -1) >= 0);
  if (cells.isDeleted) return tally.skip(place, 'deleted');
  if (!keyShape.test(key)) return tally.fail(place, 'code_shape', 'key');
  if (quota === undefined || quota < 1 || quota > largestQuota) return tally.fail(place, 'amount_invalid', 'quota');
  if (!isTimed) return tally.fail(place, 'time_invalid', 'expired_time');
  const isGift = cells.flag('is_gift');
  const idOf = (column: string) => users.get(cells.whole(column) ?? 0) ?? 0;
  const code: NewRedemption = {
    userId: idOf('user_id'),
    key,
    name: cells.line('name', longestName) || work.family,
    quota,
    status: statusOf(work, place, cells),
    createdTime: createdTime ?? 0,
    redeemedTime: redeemedTime ?? 0,
    usedUserId: isGift ? 0 : idOf('used_user_id'),
    isGift,
    maxUses: isGift ? Math.max(-1, cells.whole('max_uses', -1) ?? 0) : -1,
    usedCount: Math.max(0, cells.whole('used_count') ?? 0),
    validFrom: validFrom ?? 0,
    validUntil: validUntil || expiredTime || 0,
  };
  return { place, code };
}

function statusOf({ tally }: ImportWork, place: RowPlace, cells: Cells): number {
  const status = cells.whole('status', 1) ?? 0;
  if (status >= 1 && status <= 3) return status;
  tally.adjust(place, 'status_unknown', 'status');
  return disabled;
}

/** Nobody uses a gift code twice. */
async function importUses({ stores }: ImportWork, { rows, users, gifts }: Codes): Promise<void> {
  for (const row of rows) {
    const cells = new Cells(row);
    const redemptionId = gifts.get(cells.whole('redemption_id') ?? 0);
    const userId = users.get(cells.whole('user_id') ?? 0);
    if (redemptionId === undefined || userId === undefined) continue;
    const usedTime = cells.whole('used_time') ?? 0;
    await stores.redemptions.insertUse({ redemptionId, userId, usedTime, quota: cells.whole('quota') ?? 0 });
  }
}
