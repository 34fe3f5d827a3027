/** Checks what is written about redemption codes (management-api.md 3.12). */
import { chosenCode, longestCodeName, mostCodes } from '../contract/redemption-limits.ts';
import { TollgateError } from '../errors.ts';
import type { RedemptionPatch, RedemptionRecord } from '../store/redemptions.ts';

type Loose = number | string | null | undefined;

/** A code as a caller describes it; numbers may come as text. */
export interface RedemptionInput {
  readonly name?: string | null | undefined;
  readonly quota?: Loose;
  readonly count?: Loose;
  readonly is_gift?: boolean | null | undefined;
  readonly max_uses?: Loose;
  readonly key?: string | null | undefined;
  readonly valid_from?: Loose;
  readonly valid_until?: Loose;
}

/** A checked batch. */
export interface RedemptionBatch {
  readonly name: string;
  readonly quota: number;
  readonly count: number;
  readonly isGift: boolean;
  readonly maxUses: number;
  readonly customKey: string | undefined;
  readonly validFrom: number;
  readonly validUntil: number;
}

const mostQuota = 10 ** 12;
const unlimited = -1;

function whole(value: Loose): number | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : Number.NaN;
}

function readName(name: string | null | undefined): string {
  const text = (name ?? '').trim();
  const length = [...text].length;
  if (length < 1 || length > longestCodeName) throw new TollgateError('redemption_name_invalid', {}, { field: 'name' });
  // Names stand in lines: of tables, files and logs.
  if (/\p{Cc}/u.test(text)) throw new TollgateError('invalid_input', { field: 'name' }, { field: 'name' });
  return text;
}

/** A name that stays is not judged again: older rows may have what no new one may. */
function readNewName(name: string | null | undefined, current: string): string {
  return (name ?? current) === current ? current : readName(name);
}

function readQuota(value: Loose): number {
  const quota = whole(value);
  if (quota === undefined || !(quota >= 1 && quota <= mostQuota)) {
    throw new TollgateError('redemption_quota_invalid', {}, { field: 'quota' });
  }
  return quota;
}

function readWindow(from: Loose, until: Loose): { validFrom: number; validUntil: number } {
  const validFrom = whole(from) ?? 0;
  const validUntil = whole(until) ?? 0;
  const isTime = (value: number) => Number.isSafeInteger(value) && value >= 0;
  if (!isTime(validFrom) || !isTime(validUntil) || (validFrom > 0 && validUntil > 0 && validFrom >= validUntil)) {
    const field = isTime(validFrom) ? 'valid_until' : 'valid_from';
    throw new TollgateError('redemption_window_invalid', {}, { field });
  }
  return { validFrom, validUntil };
}

function readMaxUses(value: Loose): number {
  const uses = whole(value) ?? unlimited;
  if (uses !== unlimited && !(uses >= 1 && uses <= 2_147_483_647)) {
    throw new TollgateError('redemption_max_uses_invalid', {}, { field: 'max_uses' });
  }
  return uses;
}

function readCount(value: Loose): number {
  const count = whole(value) ?? 1;
  if (!(count >= 1)) throw new TollgateError('redemption_count_invalid', {}, { field: 'count' });
  if (count > mostCodes) throw new TollgateError('redemption_count_max', { max: mostCodes }, { field: 'count' });
  return count;
}

/** Reads the description of new codes. Throws the `redemption_*` codes of its members. */
export function readBatch(input: RedemptionInput): RedemptionBatch {
  const customKey = input.key?.trim() || undefined;
  if (customKey !== undefined && !chosenCode.test(customKey)) {
    throw new TollgateError('redemption_key_invalid', {}, { field: 'key' });
  }
  const isGift = input.is_gift === true;
  return {
    name: readName(input.name),
    quota: readQuota(input.quota),
    count: customKey === undefined ? readCount(input.count) : 1,
    isGift,
    maxUses: isGift ? readMaxUses(input.max_uses) : unlimited,
    customKey,
    ...readWindow(input.valid_from, input.valid_until),
  };
}

/** Reads a change of an existing code; absent members stay. Throws the `redemption_*` codes of its members. */
export function readRedemptionPatch(input: RedemptionInput, current: RedemptionRecord): RedemptionPatch {
  const window = readWindow(input.valid_from ?? current.validFrom, input.valid_until ?? current.validUntil);
  const patch: RedemptionPatch = {
    name: readNewName(input.name, current.name),
    quota: readQuota(input.quota ?? current.quota),
    ...window,
  };
  if (!current.isGift || input.max_uses === undefined || input.max_uses === null) return patch;
  const maxUses = readMaxUses(input.max_uses);
  if (maxUses !== unlimited && maxUses < current.usedCount) {
    throw new TollgateError('redemption_max_uses_invalid', {}, { field: 'max_uses' });
  }
  return { ...patch, maxUses };
}
