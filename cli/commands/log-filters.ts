/** What the commands of the usage log have in common: their filters, and whose rows they read. */
import type { Command } from 'commander';
import { roles } from '../../daemon/contract/roles.ts';
import type { CommandContext } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { expectAmong, textOf, wordFlag } from '../flags.ts';
import { both, type Say } from '../language.ts';
import { lastDayOf } from '../time-span.ts';
import type { LogRow } from '../views.ts';

const types: Readonly<Record<string, number>> = { topup: 1, consume: 2, manage: 3, system: 4, checkin: 5 };

/** The flags that choose rows, as commander names them. */
export const filterFlags = [
  'type',
  'user',
  'token',
  'model',
  'channel',
  'group',
  'since',
  'until',
  'request',
  'errors',
  'mine',
] as const;

/** Adds the flags that choose rows. */
export function withFilters(command: Command, say: Say): Command {
  return command
    .addOption(wordFlag('--type <type>', say(both('of this type', '指定类型')), Object.keys(types)))
    .option('--user <name>', say(both('of this user', '指定用户')))
    .option('--token <name>', say(both('of this token', '指定令牌')))
    .option('--model <name>', say(both('of this model; a trailing % is a wildcard', '指定模型，末尾 % 为通配')))
    .option(
      '--channel <id>',
      say(both('served by this channel, or failed there last', '由该渠道处理，或最后在该渠道失败')),
    )
    .option('--group <group>', say(both('billed by this group', '指定分组')))
    .option('--since <time>', say(both('from this time on (24h)', '起始时间（24h）')))
    .option('--until <time>', say(both('until this time', '结束时间')))
    .option('--request <id>', say(both('of this request', '指定请求编号')))
    .option('--errors', say(both('only requests that failed', '仅失败的请求')))
    .option('--mine', say(both('only own rows', '仅本人记录')));
}

/** The filter that the flags mean; 24 hours unless told otherwise. */
export async function filters(context: CommandContext, flags: Readonly<Record<string, unknown>>) {
  const kind = textOf(flags.type);
  expectAmong(kind, Object.keys(types), '--type');
  const type = kind === undefined ? undefined : types[kind];
  const name = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return {
    type,
    username: name(flags.user),
    token_name: name(flags.token),
    model_name: name(flags.model),
    channel: name(flags.channel),
    group: name(flags.group),
    request_id: name(flags.request),
    failed: flags.errors === true ? true : undefined,
    ...(await lastDayOf(context, flags)),
  };
}

/** What tells rows apart; the ids of the own view are not unique. */
export function rowKey(view: 'all rows' | 'own rows'): (row: LogRow) => string | number {
  if (view === 'all rows') return (row) => row.id;
  return (row) => `${row.created_at} ${row.request_id} ${row.model_name} ${row.quota} ${row.type} ${row.content}`;
}

/**
 * Whether the caller sees all rows. Throws where a flag chooses among rows that are not seen: exit 3 with `--mine`, exit
 * 5 for who is no administrator. Own rows would pass for those that were asked for.
 */
export async function seesAll(context: CommandContext, flags: Readonly<Record<string, unknown>>): Promise<boolean> {
  const chosen = (['user', 'channel'] as const).find((flag) => flags[flag] !== undefined);
  if (flags.mine === true) {
    if (chosen === undefined) return false;
    const text = both(`--${chosen} does not go with --mine`, `--${chosen} 不能与 --mine 同用`);
    throw usageError(text, { field: `--${chosen}` });
  }
  const { role, username } = await (await context.client()).account.credential();
  if (role >= roles.admin) return true;
  if (chosen === undefined || (chosen === 'user' && flags.user === username && flags.channel === undefined))
    return false;
  throw new CliError(
    'forbidden_role',
    exitCodes.forbidden,
    both(
      `only administrators choose by --${chosen}; others see their own rows`,
      `仅管理员可用 --${chosen} 筛选，其他用户只能查看本人记录`,
    ),
    { field: `--${chosen}` },
  );
}
