/** `drawing` and `task`: long-running work. Administrators see everybody's, others their own. */
import type { Command } from 'commander';
import { openInBrowser } from '../browser.ts';
import { group, leaf, type Runtime } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { CliError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { expectAmong, textOf } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { limitOf, told, walk, withLimit } from '../paging.ts';
import { findUser } from '../users.ts';
import { seesAll } from './log-filters.ts';
import { songAddress } from './song-address.ts';

interface WorkRow {
  id: number;
  channel_id: number;
  action: string;
  status: string;
  progress: string;
  quota: number;
  fail_reason: string;
  submit_time: number;
  finish_time: number;
}
type DrawingRow = WorkRow & { mj_id: string; image_url: string };
type TaskRow = WorkRow & { task_id: string; data?: unknown };

type Flags = Readonly<Record<string, unknown>>;

/** Columns of both kinds; times on the wire are milliseconds for drawings and seconds for tasks. */
function workView<Row extends WorkRow>(
  context: CommandContext,
  { idOf, unitMs }: { idOf: (row: Row) => string; unitMs: 1 | 1000 },
): View<Row> {
  const money = context.moneyCells();
  const took = ({ submit_time: from, finish_time: until }: Row) =>
    until > from ? `${Math.round(((until - from) * unitMs) / 1000)}s` : '';
  return {
    columns: [
      { heading: 'ID', value: idOf, priority: 1 },
      {
        heading: 'SUBMITTED',
        unit: 'time',
        value: (row) => (row.submit_time ? context.agoText(Math.floor((row.submit_time * unitMs) / 1000)) : ''),
        priority: 2,
      },
      { heading: 'TOOK', unit: 'word', value: took, align: 'right', priority: 4 },
      { heading: 'CH', value: (row) => row.channel_id || '', align: 'right', priority: 6 },
      { heading: 'KIND', value: (row) => row.action, priority: 3 },
      { heading: 'STATUS', unit: 'word', value: (row) => row.status, priority: 1 },
      { heading: 'PROGRESS', value: (row) => row.progress, align: 'right', priority: 3 },
      { heading: '$', unit: 'money', value: (row) => money(row.quota), align: 'right', priority: 5 },
      { heading: 'REASON', value: (row) => row.fail_reason, priority: 7 },
    ],
    id: idOf,
  };
}

const drawingView = (context: CommandContext) => workView<DrawingRow>(context, { idOf: (row) => row.mj_id, unitMs: 1 });
const taskView = (context: CommandContext) => workView<TaskRow>(context, { idOf: (row) => row.task_id, unitMs: 1000 });

/** What both lists are filtered by; `since` in seconds, undefined for everything. */
async function filtersOf(context: CommandContext, flags: Flags, statuses: readonly string[]) {
  const status = textOf(flags.status)?.toUpperCase();
  expectAmong(status, statuses, '--status');
  const instant = async (name: 'since' | 'until') => {
    const text = textOf(flags[name]);
    return text === undefined ? undefined : context.instant(text, 'past', `--${name}`);
  };
  const user = textOf(flags.user);
  return {
    status,
    action: textOf(flags.kind)?.toUpperCase(),
    ofAnybody: {
      channel_id: textOf(flags.channel),
      user_id: user === undefined ? undefined : (await findUser(context, user)).id,
    },
    since: await instant('since'),
    until: await instant('until'),
  };
}

async function drawingPages(context: CommandContext, flags: Flags, id: string | undefined) {
  const { drawingStatuses } = await import('../../daemon/contract/works.ts');
  const { since, until, ofAnybody, ...wanted } = await filtersOf(context, flags, drawingStatuses);
  const client = await context.client();
  const ms = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1000);
  const filter = { ...wanted, mj_id: id, start_timestamp: ms(since), end_timestamp: ms(until) };
  const all = await seesAll(context, flags);
  return (page: number, page_size: number) =>
    all
      ? client.works.drawings({ ...filter, ...ofAnybody, page, page_size })
      : client.works.ownDrawings({ ...filter, page, page_size });
}

async function taskPages(context: CommandContext, flags: Flags, id: string | undefined) {
  const { taskStatuses } = await import('../../daemon/contract/works.ts');
  const { since, until, ofAnybody, ...wanted } = await filtersOf(context, flags, taskStatuses);
  const client = await context.client();
  const platform = textOf(flags.platform);
  const filter = { ...wanted, platform, task_id: id, start_timestamp: since, end_timestamp: until };
  const all = await seesAll(context, flags);
  return (page: number, page_size: number) =>
    all
      ? client.works.tasks({ ...filter, ...ofAnybody, page, page_size })
      : client.works.ownTasks({ ...filter, page, page_size });
}

function notFound(id: string): CliError {
  return new CliError('not_found', exitCodes.notFound, both(`nothing with the id ${id}`, `没有编号为 ${id} 的记录`));
}

export function registerWorkCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const withFilters = (command: Command) =>
    withLimit(
      command
        .option('--id <id>', say(both('of this id', '指定编号')))
        .option('--channel <id>', say(both('served by this channel', '指定渠道')))
        .option('--user <user>', say(both('of this user', '指定用户')))
        .option('--kind <kind>', say(both('such as IMAGINE or MUSIC', '类型，如 IMAGINE 或 MUSIC')))
        .option('--status <status>', say(both('such as SUCCESS or FAILURE', '状态，如 SUCCESS 或 FAILURE')))
        .option('--since <time>', say(both('submitted from this time on', '提交起始时间')))
        .option('--until <time>', say(both('submitted until this time', '提交结束时间')))
        .option('--mine', say(both('only own ones', '仅本人记录'))),
      say,
    );

  const drawing = group(program, runtime, 'drawing', both('Drawings', '绘图'));
  leaf(
    withFilters(drawing.command('list').alias('ls')),
    runtime,
    {
      summary: both('List drawings, newest first', '列出绘图任务，最新在前'),
      examples: ['drawing list --status FAILURE --since 1d'],
      orders: [],
      prints: drawingView,
      rows: 'works.drawings',
      calls: ['works.drawings', 'works.ownDrawings', 'account.credential'],
    },
    async (context, _args, flags) => {
      const page = await drawingPages(context, flags, textOf(flags.id));
      const rows = walk<DrawingRow>({ page, keyOf: ({ id }) => id, limit: limitOf(flags), ...told(context) });
      await context.printer.list(rows, drawingView(context));
    },
  );
  leaf(
    drawing
      .command('get')
      .alias('show')
      .argument('<id>')
      .option('--open', say(both('open the image in a browser', '在浏览器中打开图片'))),
    runtime,
    {
      summary: both('Show one drawing', '查看一个绘图任务'),
      examples: ['drawing get 1712345678901234 --open'],
      prints: drawingView,
      rows: 'works.drawings',
      calls: ['works.drawings', 'works.ownDrawings', 'account.credential'],
    },
    async (context, [id], flags) => {
      const [row] = (await (await drawingPages(context, {}, String(id)))(1, 1)).items;
      if (!row) throw notFound(String(id));
      await context.printer.one<DrawingRow>(row, drawingView(context));
      if (flags.open !== true || row.image_url === '') return;
      // A site that names no address of its own names none in its pictures' either.
      const { url } = await context.target();
      openInBrowser(new URL(row.image_url, url).href);
    },
  );

  const task = group(program, runtime, 'task', both('Tasks such as songs', '任务（如音乐）'));
  leaf(
    withFilters(task.command('list').alias('ls')).option(
      '--platform <name>',
      say(both('such as suno', '平台，如 suno')),
    ),
    runtime,
    {
      summary: both('List tasks, newest first', '列出任务，最新在前'),
      examples: ['task list --status FAILURE --since 1d'],
      orders: [],
      prints: taskView,
      rows: 'works.tasks',
      calls: ['works.tasks', 'works.ownTasks', 'account.credential'],
    },
    async (context, _args, flags) => {
      const page = await taskPages(context, flags, textOf(flags.id));
      const rows = walk<TaskRow>({ page, keyOf: ({ id }) => id, limit: limitOf(flags), ...told(context) });
      await context.printer.list(rows, taskView(context));
    },
  );
  leaf(
    task
      .command('get')
      .alias('show')
      .argument('<id>')
      .option('--open', say(both('play its first song in a browser', '在浏览器中播放第一首歌曲'))),
    runtime,
    {
      summary: both('Show one task', '查看一个任务'),
      examples: ['task get 6f1b2c9a -o json', 'task get 6f1b2c9a --open'],
      prints: taskView,
      rows: 'works.tasks',
      calls: ['works.tasks', 'works.ownTasks', 'account.credential'],
    },
    async (context, [id], flags) => {
      const [row] = (await (await taskPages(context, {}, String(id)))(1, 1)).items;
      if (!row) throw notFound(String(id));
      await context.printer.one<TaskRow>(row, taskView(context));
      const song = flags.open === true ? songAddress(row.data) : undefined;
      if (song !== undefined) openInBrowser(song);
    },
  );
}
