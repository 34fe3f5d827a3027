/** What an owner wrote about a relay key, checked and brought into the form of the row (management-api.md 3.11). */
import ipaddr from 'ipaddr.js';
import { splitCommaList } from '../contract/comma-list.ts';
import type { OptionsView } from '../contract/options.ts';
import { highestRate } from '../contract/rate-limits.ts';
import type { ConversionPolicy } from '../contract/tokens.ts';
import { TollgateError } from '../errors.ts';
import type { TokenPatch, TokenRecord } from '../store/tokens.ts';
import { mayChooseGroup } from './groups.ts';
import { tokenModelMapping } from './token-model-mapping.ts';

/** Members as they come in; undefined and null are absent. */
export interface TokenInput {
  readonly name?: string | null | undefined;
  readonly expired_time?: number | string | null | undefined;
  readonly remain_quota?: number | string | null | undefined;
  readonly unlimited_quota?: boolean | null | undefined;
  readonly model_limits_enabled?: boolean | null | undefined;
  readonly model_limits?: string | readonly string[] | null | undefined;
  readonly model_mapping?: string | Readonly<Record<string, unknown>> | null | undefined;
  readonly allow_ips?: string | null | undefined;
  readonly group?: string | null | undefined;
  readonly conversion?: ConversionPolicy | null | undefined;
  readonly quota_warning_threshold?: number | string | null | undefined;
  readonly rpm_limit?: number | string | null | undefined;
  readonly tpm_limit?: number | string | null | undefined;
  readonly concurrency_limit?: number | string | null | undefined;
}

/** The columns that an owner may write. */
export type TokenFields = Pick<TokenRecord, Exclude<keyof TokenPatch, 'status'> | 'remainQuota'>;

/** What the checks depend on. */
export interface TokenInputContext {
  readonly options: OptionsView;
  readonly userGroup: string;
  readonly nowSeconds: number;
  /** The stored row of an update: an expiry or group that does not change is not checked again. */
  readonly current?: TokenFields;
}

/** A threshold that says: as for the balance of the account. */
export const followsAccount = -1;

const longestName = 50;
const mostModels = 500;
const longestModel = 255;
const mostAddresses = 1000;

/** Reads the members that are present. Throws the `token_*` code of the first that cannot be. */
export function readTokenInput(input: TokenInput, context: TokenInputContext): Partial<TokenFields> {
  return {
    ...(isPresent(input.name) ? { name: tokenName(input.name) } : {}),
    ...(isPresent(input.expired_time) ? { expiredTime: expiryOf(input.expired_time, context) } : {}),
    ...(isPresent(input.remain_quota) ? { remainQuota: quotaOf(input.remain_quota) } : {}),
    ...(isPresent(input.unlimited_quota) ? { unlimitedQuota: input.unlimited_quota } : {}),
    ...(isPresent(input.model_limits_enabled) ? { modelLimitsEnabled: input.model_limits_enabled } : {}),
    ...(isPresent(input.model_limits) ? { modelLimits: modelLimitsOf(input.model_limits) } : {}),
    ...(isPresent(input.model_mapping) ? { modelMapping: tokenModelMapping(input.model_mapping) } : {}),
    ...(isPresent(input.allow_ips) ? { allowIps: addressLines(input.allow_ips) } : {}),
    ...(isPresent(input.group) ? { group: groupOf(input.group, context) } : {}),
    ...(isPresent(input.conversion) ? { conversion: input.conversion } : {}),
    ...(isPresent(input.quota_warning_threshold)
      ? { quotaWarningThreshold: thresholdOf(input.quota_warning_threshold) }
      : {}),
    ...(isPresent(input.rpm_limit) ? { rpmLimit: rateOf(input.rpm_limit, 'rpm_limit') } : {}),
    ...(isPresent(input.tpm_limit) ? { tpmLimit: rateOf(input.tpm_limit, 'tpm_limit') } : {}),
    ...(isPresent(input.concurrency_limit)
      ? { concurrencyLimit: rateOf(input.concurrency_limit, 'concurrency_limit') }
      : {}),
  };
}

/** A name with the space around it taken off. Throws `token_name_required`, `token_name_long`, `invalid_input`. */
export function tokenName(value: string): string {
  const name = value.trim();
  if (name === '') throw new TollgateError('token_name_required', {}, { field: 'name' });
  if ([...name].length > longestName) throw new TollgateError('token_name_long', {}, { field: 'name' });
  if (/\p{Cc}/u.test(name)) throw new TollgateError('invalid_input', { field: 'name' }, { field: 'name' });
  return name;
}

function expiryOf(value: number | string, context: TokenInputContext): number {
  const expiry = Number(value);
  const isUnchanged = expiry === context.current?.expiredTime;
  const isAcceptable = Number.isSafeInteger(expiry) && (expiry === -1 || expiry > context.nowSeconds);
  if (!isUnchanged && !isAcceptable) throw new TollgateError('token_expired_in_past', {}, { field: 'expired_time' });
  return expiry;
}

function quotaOf(value: number | string): number {
  const quota = value === '' ? Number.NaN : Number(value);
  if (!Number.isSafeInteger(quota) || quota < 0) {
    throw new TollgateError('token_quota_invalid', {}, { field: 'remain_quota' });
  }
  return quota;
}

function thresholdOf(value: number | string): number {
  const threshold = value === '' ? Number.NaN : Number(value);
  if (!Number.isSafeInteger(threshold) || threshold < followsAccount) {
    throw new TollgateError('token_threshold_invalid', {}, { field: 'quota_warning_threshold' });
  }
  return threshold;
}

function rateOf(value: number | string, field: 'rpm_limit' | 'tpm_limit' | 'concurrency_limit'): number {
  const rate = value === '' ? Number.NaN : Number(value);
  if (!Number.isSafeInteger(rate) || rate < 0 || rate > highestRate) {
    throw new TollgateError('token_rate_invalid', { max: highestRate }, { field });
  }
  return rate;
}

function modelLimitsOf(value: string | readonly string[]): string {
  const models = splitCommaList(typeof value === 'string' ? value : value.join(','));
  if (models.length > mostModels || models.some((model) => model.length > longestModel)) {
    throw new TollgateError('invalid_input', { field: 'model_limits' }, { field: 'model_limits' });
  }
  return models.join(',');
}

/**
 * One address or network a line; commas and spaces between them will do. What is neither is refused: dropping it could
 * open the key to everybody. Throws `token_ips_invalid`, `invalid_input`.
 */
export function addressLines(value: string): string {
  const lines = value.split(/[\s,]+/).filter((line) => line !== '');
  if (lines.length > mostAddresses) {
    throw new TollgateError('invalid_input', { field: 'allow_ips' }, { field: 'allow_ips' });
  }
  const wrong = lines.find((line) => !isAddressOrNetwork(line));
  if (wrong !== undefined) {
    throw new TollgateError('token_ips_invalid', { line: wrong.slice(0, 100) }, { field: 'allow_ips' });
  }
  return lines.join('\n');
}

function isAddressOrNetwork(text: string): boolean {
  if (text.includes('/')) return ipaddr.isValidCIDR(text);
  // Short forms such as `10.1` are valid to the parser and surprising to everybody else.
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

function groupOf(value: string, context: TokenInputContext): string {
  const group = value.trim();
  if (group !== context.current?.group && !mayChooseGroup(group, context.userGroup, context.options)) {
    throw new TollgateError('token_group_refused', { group: group.slice(0, 64) }, { field: 'group' });
  }
  return group;
}

function isPresent<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}
