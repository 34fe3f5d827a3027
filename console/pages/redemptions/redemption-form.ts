/** Values of the drawer of a redemption code, and what is asked of them (console.md 6.12). */
import type { TFunction } from 'i18next';
import * as z from 'zod/mini';
import { chosenCode, longestCodeName, mostCodes } from '../../../daemon/contract/redemption-limits.ts';
import type { RedemptionView } from '../../../daemon/contract/redemptions.ts';

export interface RedemptionValues extends Record<string, unknown> {
  name: string;
  /** NaN while the amount cannot be read. */
  quota: number;
  /** '' while the field is empty. */
  count: number | string;
  is_gift: boolean;
  max_uses: number | string;
  key: string;
  /** Unix seconds; 0 = open. */
  valid_from: number;
  valid_until: number;
}

const unlimitedUses = -1;

export const newCode: RedemptionValues = {
  name: '',
  quota: 100_000,
  count: 1,
  is_gift: false,
  max_uses: unlimitedUses,
  key: '',
  valid_from: 0,
  valid_until: 0,
};

export function valuesOf(row: RedemptionView): RedemptionValues {
  const { name, quota, is_gift, max_uses, valid_from, valid_until } = row;
  return { ...newCode, name, quota, is_gift, max_uses, valid_from, valid_until };
}

export function schemaOf(t: TFunction<['redemptions', 'frame']>, isNew: boolean) {
  const isName = (name: string) => {
    const { length } = [...name.trim()];
    // A new code without a name is called by its worth.
    return length <= longestCodeName && (length > 0 || isNew);
  };
  const isCount = (count: unknown) => Number.isInteger(count) && Number(count) >= 1 && Number(count) <= mostCodes;
  const isUses = (uses: unknown) => Number.isInteger(uses) && (Number(uses) === unlimitedUses || Number(uses) >= 1);
  const isKey = (key: string) => key === '' || chosenCode.test(key);
  return z
    .object({
      name: z.string().check(z.refine(isName, t('refused.name'))),
      quota: z.number(t('refused.quota')).check(z.minimum(1, t('refused.quota'))),
      count: z.any().check(z.refine(isCount, t('refused.count'))),
      is_gift: z.boolean(),
      max_uses: z.any(),
      key: z.string().check(z.refine(isKey, t('refused.key'))),
      valid_from: z.number(),
      valid_until: z.number(),
    })
    .check(
      z.refine(({ valid_from, valid_until }) => valid_until === 0 || valid_until > valid_from, {
        path: ['valid_until'],
        error: t('refused.window'),
      }),
      // Of other codes the field is not shown, and not sent.
      z.refine(({ is_gift, max_uses }) => !is_gift || isUses(max_uses), {
        path: ['max_uses'],
        error: t('refused.uses'),
      }),
    );
}

/** Fields of refusals that name none. */
export const refusalFields = {
  redemption_name_invalid: 'name',
  redemption_quota_invalid: 'quota',
  redemption_count_invalid: 'count',
  redemption_count_max: 'count',
  redemption_max_uses_invalid: 'max_uses',
  redemption_key_invalid: 'key',
  redemption_key_taken: 'key',
  redemption_window_invalid: 'valid_until',
};
