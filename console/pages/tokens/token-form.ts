/** What the token drawer holds, how it is checked, and what of it is sent. */
import type { TFunction } from 'i18next';
import * as z from 'zod/mini';
import type { ConversionPolicy, TokenView } from '../../../daemon/contract/tokens.ts';
import { isObjectText, mappingText, rowsOfMapping } from '../../components/mapping-rows.ts';
import { addressFaults } from './address-list.ts';

export interface TokenValues extends Record<string, unknown> {
  name: string;
  /** Unix seconds; -1 never, NaN for what is no moment. */
  expires: number;
  /** NaN while the amount cannot be read. */
  quota: number;
  isUnlimited: boolean;
  count: string;
  hasModelLimit: boolean;
  models: string[];
  /** JSON text; "" for none. */
  modelMapping: string;
  ips: string;
  group: string;
  rpm: string;
  tpm: string;
  concurrency: string;
  conversion: ConversionPolicy;
}

export const newToken: TokenValues = {
  name: '',
  expires: -1,
  quota: 500_000,
  isUnlimited: false,
  count: '1',
  hasModelLimit: false,
  models: [],
  modelMapping: '',
  ips: '',
  group: '',
  rpm: '0',
  tpm: '0',
  concurrency: '0',
  conversion: 'warn',
};

export function valuesOf(token: TokenView): TokenValues {
  return {
    name: token.name,
    expires: token.expired_time,
    quota: token.remain_quota,
    isUnlimited: token.unlimited_quota,
    count: '1',
    hasModelLimit: token.model_limits_enabled,
    models: token.model_limits.split(',').filter(Boolean),
    modelMapping: mappingText(rowsOfMapping(token.model_mapping) ?? []),
    ips: token.allow_ips,
    group: token.group,
    rpm: String(token.rpm_limit),
    tpm: String(token.tpm_limit),
    concurrency: String(token.concurrency_limit),
    conversion: token.conversion,
  };
}

/** @param unchangedExpiry of an edited token: one that has passed may stay */
export function tokenSchema(t: TFunction<'tokens'>, unchangedExpiry?: number) {
  const limit = z.string().check(z.regex(/^\d{1,9}$/, t('form.limitError')));
  const fields = z.object({
    name: z.string().check(z.trim(), z.minLength(1, t('form.nameMissing')), z.maxLength(50)),
    expires: z
      .custom<number>((value) => typeof value === 'number')
      .check(
        z.refine((value) => value === -1 || value === unchangedExpiry || value * 1000 > Date.now(), {
          error: t('form.expiresError'),
        }),
      ),
    count: z.string().check(z.regex(/^0*[1-9]\d{0,3}$/, t('form.countError'))),
    ips: z.string().check(
      z.refine((text) => addressFaults(text).length === 0, {
        error: ({ input }) => {
          const fault = addressFaults(String(input))[0];
          return fault ? t('form.ipLine', { line: fault.line, text: fault.text }) : '';
        },
      }),
    ),
    modelMapping: z.string().check(z.refine(isObjectText, { error: t('form.mappingError') })),
    rpm: limit,
    tpm: limit,
    concurrency: limit,
  });
  // Without a limit the amount has no effect, and its field takes none.
  return z.discriminatedUnion('isUnlimited', [
    z.extend(fields, { isUnlimited: z.literal(false), quota: z.number() }),
    z.extend(fields, { isUnlimited: z.literal(true) }),
  ]);
}

/** Member of the form for a refusal that names the one of the wire. */
export const refusalFields = {
  token_expired_in_past: 'expires',
  token_group_refused: 'group',
  token_ips_invalid: 'ips',
  token_mapping_circular: 'modelMapping',
  token_mapping_invalid: 'modelMapping',
  token_mapping_name_invalid: 'modelMapping',
  token_name_long: 'name',
  token_name_required: 'name',
  token_quota_invalid: 'quota',
};

/** The given members as the call takes them. */
export function wireOf(values: Partial<TokenValues>) {
  const { name, expires, quota, isUnlimited, hasModelLimit, models, ips, group, conversion } = values;
  const { modelMapping, rpm, tpm, concurrency } = values;
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(expires !== undefined && { expired_time: expires }),
    ...(quota !== undefined && !Number.isNaN(quota) && { remain_quota: quota }),
    ...(isUnlimited !== undefined && { unlimited_quota: isUnlimited }),
    ...(hasModelLimit !== undefined && { model_limits_enabled: hasModelLimit }),
    ...(models !== undefined && { model_limits: models.join(',') }),
    ...(modelMapping !== undefined && { model_mapping: modelMapping }),
    ...(ips !== undefined && { allow_ips: ips }),
    ...(group !== undefined && { group }),
    ...(rpm !== undefined && { rpm_limit: Number(rpm) }),
    ...(tpm !== undefined && { tpm_limit: Number(tpm) }),
    ...(concurrency !== undefined && { concurrency_limit: Number(concurrency) }),
    ...(conversion !== undefined && { conversion }),
  };
}

/** The first keeps the name; the others get six random characters, and stay within 50. */
export function namesFor(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    index === 0 ? name.trim() : `${name.trim().slice(0, 43)}-${randomSuffix()}`,
  );
}

function randomSuffix(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789';
  return [...crypto.getRandomValues(new Uint8Array(6))].map((byte) => letters[byte % letters.length]).join('');
}
