/** `log`: the usage log. Administrators see all rows, others their own. */
import type { Command } from 'commander';
import { group, leaf, type Runtime } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { both } from '../language.ts';
import { limitOf, walk } from '../paging.ts';
import { type LogRow, logView } from '../views.ts';

const types: Readonly<Record<string, number>> = { topup: 1, consume: 2, manage: 3, system: 4, checkin: 5 };

function withFilters(command: Command, say: (pair: { en: string; zh: string }) => string): Command {
  return command
    .option(
      '--type <type>',
      say(both('topup, consume, manage, system or checkin', '类型：topup、consume、manage、system 或 checkin')),
    )
    .option('--user <name>', say(both('of this user', '指定用户')))
    .option('--token <name>', say(both('of this token', '指定令牌')))
    .option('--model <name>', say(both('of this model; a trailing % is a wildcard', '指定模型，末尾 % 为通配')))
    .option('--channel <id>', say(both('served by this channel', '指定渠道')))
    .option('--group <group>', say(both('billed by this group', '指定分组')))
    .option('--since <time>', say(both('from this time on (24h)', '起始时间（24h）')))
    .option('--until <time>', say(both('until this time', '结束时间')))
    .option('--mine', say(both('only own rows', '仅本人记录')));
}

async function filters(context: CommandContext, flags: Readonly<Record<string, unknown>>) {
  const type = typeof flags.type === 'string' ? types[flags.type] : undefined;
  if (flags.type !== undefined && type === undefined) {
    throw usageError(both(`no type ${flags.type}`, `没有类型 ${flags.type}`), { field: '--type' });
  }
  const name = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const since = name(flags.since) ?? '24h';
  const until = name(flags.until);
  return {
    type,
    username: name(flags.user),
    token_name: name(flags.token),
    model_name: name(flags.model),
    channel: name(flags.channel),
    group: name(flags.group),
    start_timestamp: await context.instant(since, 'past', '--since'),
    end_timestamp: until === undefined ? undefined : await context.instant(until, 'past', '--until'),
  };
}

/** Whether the caller sees all rows. */
async function seesAll(context: CommandContext, flags: Readonly<Record<string, unknown>>): Promise<boolean> {
  if (flags.mine === true) return false;
  return (await (await context.client()).account.get()).role >= 10;
}

export function registerLogCommands(program: Command, runtime: Runtime): void {
  const say = (pair: { en: string; zh: string }) => pair[runtime.language];
  const log = group(program, runtime, 'log', both('Usage log', '使用日志'));

  leaf(
    withFilters(log.command('list').alias('ls'), say)
      .option('--request <id>', say(both('of this request', '指定请求编号')))
      .option('--content', say(both('with prompts and answers (audited)', '包含提示词与回答（会记入审计）')))
      .option('--limit <n>', say(both('rows at most (30)', '最多行数（30）')))
      .option('--all', say(both('every row', '全部'))),
    runtime,
    {
      summary: both('List log rows, newest first', '列出日志，最新在前'),
      examples: ["log list --model 'gpt-4o%' -o ndjson", 'log list --type consume --since today --all -o csv'],
      calls: ['logs.list', 'logs.listOwn', 'account.get'],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const filter = {
        ...(await filters(context, flags)),
        request_id: typeof flags.request === 'string' ? flags.request : undefined,
      };
      const all = await seesAll(context, flags);
      const { username: _username, channel: _channel, ...own } = filter;
      const rows = walk<LogRow>({
        page: (page, page_size) =>
          all
            ? client.logs.list({ ...filter, with_content: flags.content === true, page, page_size })
            : client.logs.listOwn({ ...own, page, page_size }),
        // The ids of the own view are not unique.
        keyOf: (row) =>
          all
            ? row.id
            : `${row.created_at} ${row.request_id} ${row.model_name} ${row.quota} ${row.type} ${row.content}`,
        limit: limitOf(flags),
        onCut: (shown, total) =>
          context.note(
            context.say(
              both(`Showing ${shown} of ${total}; --all for the rest`, `显示 ${shown}/${total}；--all 显示全部`),
            ),
          ),
      });
      await context.printer.list(rows, await logView(context));
    },
  );

  leaf(
    log.command('get').alias('show').argument('<request-id>'),
    runtime,
    {
      summary: both('Show the rows of one call', '查看一次调用的记录'),
      examples: ['log get 20261121035544123456789AbCdEfGh'],
      calls: ['logs.list', 'logs.listOwn', 'account.get'],
    },
    async (context, [id], flags) => {
      const client = await context.client();
      const filter = { request_id: String(id), page: 1, page_size: 100 };
      const { items } = (await seesAll(context, flags))
        ? await client.logs.list(filter)
        : await client.logs.listOwn(filter);
      if (items.length === 0)
        throw new CliError('not_found', exitCodes.notFound, both(`no row of request ${id}`, `没有请求 ${id} 的记录`));
      await context.printer.list<LogRow>(items, await logView(context));
    },
  );

  leaf(
    withFilters(log.command('stat'), say),
    runtime,
    {
      summary: both('Sums of the filter and the rates of the last minute', '筛选汇总与最近一分钟速率'),
      examples: ['log stat --since today'],
      calls: ['logs.stat', 'logs.statOwn', 'account.get'],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const filter = await filters(context, flags);
      const { username: _username, channel: _channel, ...own } = filter;
      const sums = (await seesAll(context, flags)) ? await client.logs.stat(filter) : await client.logs.statOwn(own);
      const money = await context.moneyText();
      await context.printer.one(sums, {
        columns: [
          { heading: 'QUOTA', value: (row) => money(row.quota), align: 'right' },
          { heading: 'RPM', value: (row) => row.rpm, align: 'right' },
          { heading: 'TPM', value: (row) => row.tpm, align: 'right' },
          { heading: 'IN', value: (row) => row.prompt_tokens, align: 'right' },
          { heading: 'OUT', value: (row) => row.completion_tokens, align: 'right' },
        ],
        fields: ['quota', 'rpm', 'tpm', 'prompt_tokens', 'completion_tokens'],
        id: (row) => row.quota,
      });
    },
  );
}
