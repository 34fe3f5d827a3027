/** A relay key as flags, and forms of screens, describe it. */
import type { CommandContext } from '../context.ts';
import { narrowedTo } from '../empty-words.ts';
import { usageError } from '../errors.ts';
import { limitFigure, listOf, textOf } from '../flags.ts';
import { splitList } from '../input/text.ts';
import { both } from '../language.ts';

/** What the flags of a relay key say, as the daemon takes it. Throws exit 3. */
export async function tokenFields(context: CommandContext, flags: Readonly<Record<string, unknown>>) {
  const quota = textOf(flags.quota);
  const expires = textOf(flags.expires);
  const models =
    flags.models === undefined ? undefined : narrowedTo(await listOf(context, flags.models, '--models'), '--models');
  const mapping = textOf(flags.modelMapping);
  const conversion = textOf(flags.conversion);
  const warning = textOf(flags.warnBelow);
  const addresses = Array.isArray(flags.allowIp)
    ? narrowedTo(splitList(flags.allowIp.map(String)), '--allow-ip')
    : undefined;
  return {
    ...(textOf(flags.name) === undefined ? {} : { name: String(flags.name) }),
    ...(textOf(flags.group) === undefined ? {} : { group: String(flags.group) }),
    ...(quota === undefined
      ? {}
      : quota === 'unlimited'
        ? { unlimited_quota: true }
        : { unlimited_quota: false, remain_quota: await context.money(quota, '--quota') }),
    ...(expires === undefined
      ? {}
      : { expired_time: expires === 'never' ? -1 : await context.instant(expires, 'future', '--expires') }),
    ...(models === undefined ? {} : { model_limits: [...models], model_limits_enabled: true }),
    ...(mapping === undefined ? {} : { model_mapping: await context.value(mapping, '--model-mapping') }),
    ...(addresses === undefined ? {} : { allow_ips: addresses.join('\n') }),
    ...(conversion === undefined ? {} : { conversion: conversionOf(conversion) }),
    ...(warning === undefined ? {} : { quota_warning_threshold: await warningOf(context, warning) }),
    ...ownLimit(flags.rpm, '--rpm'),
    ...ownLimit(flags.tpm, '--tpm'),
    ...ownLimit(flags.concurrentCalls, '--concurrent-calls'),
  };
}

/** Fields of a relay key that may hold nothing. */
interface ClearableFields {
  allow_ips?: string;
  group?: string;
  model_limits?: string[];
  model_limits_enabled?: boolean;
  model_mapping?: string;
  rpm_limit?: number;
  tpm_limit?: number;
  concurrency_limit?: number;
  quota_warning_threshold?: number;
}

/** What `--unset` makes of them, by flag. */
export const blankTokenFields: Readonly<Record<string, ClearableFields>> = {
  'allow-ip': { allow_ips: '' },
  'concurrent-calls': { concurrency_limit: 0 },
  group: { group: '' },
  'model-mapping': { model_mapping: '' },
  models: { model_limits: [], model_limits_enabled: false },
  rpm: { rpm_limit: 0 },
  tpm: { tpm_limit: 0 },
  'warn-below': { quota_warning_threshold: -1 },
};

const limitMembers = {
  '--rpm': 'rpm_limit',
  '--tpm': 'tpm_limit',
  '--concurrent-calls': 'concurrency_limit',
} as const;

/** A limit of the key's own, where the flag is given. Throws exit 3. */
function ownLimit(flag: unknown, field: keyof typeof limitMembers): Record<string, number> {
  const text = textOf(flag);
  return text === undefined ? {} : { [limitMembers[field]]: limitFigure(text, field) };
}

/** A threshold as the daemon takes it: two words stand for what is no amount. */
async function warningOf(context: CommandContext, text: string): Promise<number> {
  if (text === 'account') return -1;
  return text === 'never' ? 0 : context.money(text, '--warn-below');
}

/** Throws a usage error for a word that is none of the three. */
function conversionOf(word: string): 'strict' | 'warn' | 'drop' {
  if (word === 'strict' || word === 'warn' || word === 'drop') return word;
  throw usageError(both('--conversion is strict, warn or drop', '--conversion 只能是 strict、warn 或 drop'));
}
