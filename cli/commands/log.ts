/** `log`: the usage log. Administrators see all rows, others their own. */

import type { Command } from 'commander';
import { type Flags, group, leaf, type Runtime } from '../command.ts';
import { confirmSevere } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { both, sayIn } from '../language.ts';
import { attemptText, logFacts } from '../log-facts.ts';
import type { View } from '../output/columns.ts';
import { cut, cutNote, limitOf, told, walk } from '../paging.ts';
import { answerOf } from '../server-work.ts';
import { type LogRow, logView } from '../views.ts';
import { registerLogExport } from './log-export.ts';
import { filterFlags, filters, rowKey, seesAll, withFilters } from './log-filters.ts';
import { followLog } from './log-follow.ts';

interface SumsRow {
  quota: number;
  rpm: number;
  tpm: number;
  prompt_tokens: number;
  completion_tokens: number;
}

const sumsView = (context: CommandContext): View<SumsRow> => {
  const money = context.moneyCells();
  return {
    columns: [
      { heading: 'QUOTA', unit: 'money', value: (row) => money(row.quota), align: 'right' },
      { heading: 'RPM', value: (row) => row.rpm, align: 'right' },
      { heading: 'TPM', value: (row) => row.tpm, align: 'right' },
      { heading: 'IN', value: (row) => row.prompt_tokens, align: 'right' },
      { heading: 'OUT', value: (row) => row.completion_tokens, align: 'right' },
    ],
    fields: ['quota', 'rpm', 'tpm', 'prompt_tokens', 'completion_tokens'],
    id: (row) => row.quota,
  };
};

const countView: View<{ count: number }> = {
  columns: [{ heading: 'COUNT', value: (row) => row.count }],
  fields: ['count'],
  id: (row) => row.count,
};

/** A row with what its `other` tells: who was asked in which order, what they said, and what the charge was made of. */
function callView(context: CommandContext): View<LogRow> {
  const view = logView(context);
  const say = sayIn(context.language);
  return {
    ...view,
    columns: [
      ...view.columns,
      { heading: 'GROUP', value: (row) => row.group, goesWhenEmpty: true },
      { heading: 'ASKED', value: (row) => logFacts(row.other).asked.join(', '), goesWhenEmpty: true },
      {
        heading: 'TRIES',
        value: (row) =>
          logFacts(row.other)
            .attempts.map((attempt) => attemptText(attempt, say))
            .join('; '),
        goesWhenEmpty: true,
      },
      { heading: 'FACTS', value: (row) => logFacts(row.other).rest, goesWhenEmpty: true },
    ],
  };
}

/** Rows by their text. The server searches by nothing else at once, so other filters are refused. */
async function searchLog(context: CommandContext, flags: Flags): Promise<void> {
  const other = [...filterFlags.filter((flag) => flag !== 'mine'), 'content', 'follow'].find(
    (flag) => flags[flag] !== undefined,
  );
  if (other !== undefined) {
    throw usageError(both(`--search does not go with --${other}`, `--search 不能与 --${other} 同用`), {
      field: `--${other}`,
    });
  }
  const client = await context.client();
  const wish = { keyword: String(flags.search) };
  const { items } = await ((await seesAll(context, flags)) ? client.logs.search(wish) : client.logs.searchOwn(wish));
  await context.printer.list<LogRow>(cut(items, limitOf(flags), cutNote(context)), logView(context));
}

export function registerLogCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const log = group(program, runtime, 'log', both('Usage log', '使用日志'));

  leaf(
    withFilters(log.command('list').alias('ls'), say)
      .option(
        '--search <text>',
        say(
          both(
            'the newest 100 whose text begins so, or of the type with this number; without other filters',
            '文本以此开头（数字表示类型）的最近 100 条，不与其他筛选同用',
          ),
        ),
      )
      .option('--content', say(both('with prompts and answers (audited)', '包含提示词与回答（会记入审计）')))
      .option(
        '--limit <n>',
        say(both('rows at most (30); with -f, rows of the past', '最多行数（30）；配合 -f 为历史行数')),
      )
      .option('--all', say(both('every row', '全部')))
      .option(
        '-f, --follow',
        say(both('oldest first, and new rows as they come, until Ctrl-C', '最旧在前，并持续输出新日志，直到 Ctrl-C')),
      )
      .option('--timeout <duration>', say(both('with -f: how long', '配合 -f：持续时长'))),
    runtime,
    {
      summary: both('List log rows, newest first', '列出日志，最新在前'),
      examples: [
        "log list --model 'gpt-4o%' -o ndjson",
        'log list --type consume --since today --all -o csv',
        "log list --search 'Password' --all",
        "log list -f --model 'gpt-4o%' -o ndjson --timeout 1s",
      ],
      prints: logView,
      rows: 'logs.list',
      orders: [],
      calls: [
        'logs.list',
        'logs.listOwn',
        'logs.search',
        'logs.searchOwn',
        'events.follow',
        'events.followOwn',
        'account.credential',
      ],
    },
    async (context, _args, flags) => {
      if (flags.search !== undefined) {
        await searchLog(context, flags);
        return;
      }
      if (flags.follow === true) {
        await followLog(context, flags);
        return;
      }
      const client = await context.client();
      const filter = await filters(context, flags);
      const all = await seesAll(context, flags);
      const { username: _username, channel: _channel, ...own } = filter;
      const rows = walk<LogRow>({
        page: (page, page_size) =>
          all
            ? client.logs.list({ ...filter, with_content: flags.content === true, page, page_size })
            : client.logs.listOwn({ ...own, page, page_size }),
        keyOf: rowKey(all ? 'all rows' : 'own rows'),
        limit: limitOf(flags),
        ...told(context, 'log export'),
      });
      await context.printer.list(rows, logView(context));
    },
  );

  leaf(
    log.command('get').alias('show').argument('<request-id>'),
    runtime,
    {
      summary: both('Show everything of one call', '查看一次调用的全部信息'),
      examples: ['log get 20261121035544123456789AbCdEfGh'],
      prints: callView,
      rows: 'logs.list',
      calls: ['logs.list', 'logs.listOwn', 'account.credential'],
    },
    async (context, [id], flags) => {
      const client = await context.client();
      const filter = { request_id: String(id), page: 1, page_size: 100 };
      const { items } = (await seesAll(context, flags))
        ? await client.logs.list(filter)
        : await client.logs.listOwn(filter);
      const [row, ...others] = items;
      if (row === undefined)
        throw new CliError('not_found', exitCodes.notFound, both(`no row of request ${id}`, `没有请求 ${id} 的记录`));
      const isForPeople = others.length === 0 && context.printer.format === 'table';
      if (isForPeople) await context.printer.one<LogRow>(row, callView(context));
      else await context.printer.list<LogRow>(items, callView(context));
    },
  );

  leaf(
    withFilters(log.command('stat'), say),
    runtime,
    {
      summary: both('Sums of the filter and the rates of the last minute', '筛选汇总与最近一分钟速率'),
      examples: ['log stat --since today'],
      prints: sumsView,
      calls: ['logs.stat', 'logs.statOwn', 'account.credential'],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const filter = await filters(context, flags);
      const { username: _username, channel: _channel, ...own } = filter;
      const sums = (await seesAll(context, flags)) ? await client.logs.stat(filter) : await client.logs.statOwn(own);
      await context.printer.one(sums, sumsView(context));
    },
  );
  registerLogExport(log, runtime);

  leaf(
    log
      .command('delete')
      .requiredOption('--before <time>', say(both('rows older than this', '早于此时间的记录')))
      .option('--confirm <count>', say(both('the number of rows, for scripts', '记录条数，供脚本使用')))
      .option('--wait', say(both('wait until it is done, however long that takes', '等待删除完成')))
      .option('--timeout <duration>', say(both('how long to wait (10m)', '等待时长（10m）'))),
    runtime,
    {
      summary: both('Delete old rows for everybody', '删除历史日志'),
      examples: ['log delete --before 90d --confirm 1204331', 'log delete --before 1w --wait --timeout 1h'],
      prints: () => countView,
      calls: ['logs.list', 'logs.deleteBefore'],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const before = await context.instant(String(flags.before), 'past', '--before');
      const left = async () => (await client.logs.list({ end_timestamp: before - 1, page_size: 1 })).total;
      const total = await left();
      await confirmSevere(
        context,
        both('Delete {total} {total:row|rows}', '删除 {total} 条日志', { total }),
        String(total),
      );
      const count = await answerOf(context, flags, {
        ask: (options) => client.logs.deleteBefore({ target_timestamp: before }, options),
        done: async () => total - (await left()),
        total,
      });
      context.done(both('{count} {count:row is|rows are} deleted', '已删除 {count} 条日志', { count }));
      await context.printer.one({ count }, countView);
    },
  );
}
