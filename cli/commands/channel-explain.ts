/** `channel explain` and `channel tests`: why a call would go where, and what tests have found. */

import type { Command } from 'commander';
import type { RoutingAnswer } from '../../daemon/contract/channel-insight.ts';
import { leaf, type Runtime } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { textOf } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { limitOf, withLimit } from '../paging.ts';
import { momentOf } from '../time-span.ts';
import { findUser } from '../users.ts';
import { findCalls, findChannel } from './channel-reference.ts';

/** One line of the answer: a candidate, or a channel that was left out. */
interface ExplainedRow {
  order: number | undefined;
  channel_id: number;
  name: string;
  group: string;
  tier: number | undefined;
  share: number | undefined;
  usable_keys: number | undefined;
  ratio: number | undefined;
  note: string;
}

const explainView: View<ExplainedRow> = {
  columns: [
    { heading: 'ORDER', value: (row) => row.order ?? '-', align: 'right', priority: 1 },
    { heading: 'ID', value: (row) => row.channel_id, align: 'right', priority: 1 },
    { heading: 'CHANNEL', value: (row) => row.name, priority: 1 },
    { heading: 'GROUP', value: (row) => row.group, priority: 4 },
    { heading: 'TIER', value: (row) => row.tier, align: 'right', priority: 3 },
    {
      heading: 'SHARE',
      value: (row) => (row.share === undefined ? '' : `${(row.share * 100).toFixed(1)}%`),
      align: 'right',
      priority: 2,
    },
    { heading: 'KEYS', value: (row) => row.usable_keys, align: 'right', priority: 5 },
    { heading: 'RATIO', value: (row) => row.ratio, align: 'right', priority: 6 },
    { heading: 'NOTE', unit: 'word', value: (row) => row.note, priority: 2 },
  ],
  fields: ['order', 'channel_id', 'name', 'group', 'tier', 'share', 'usable_keys', 'ratio', 'note'],
  id: (row) => row.channel_id,
};

/** The whole answer, as JSON and YAML have it. */
const answerView: View<RoutingAnswer> = {
  columns: [],
  fields: ['group', 'model', 'endpoint', 'refusal', 'price', 'rate_rule', 'candidates', 'excluded'],
  id: (row) => row.model,
};

interface TestRow {
  id: number;
  model: string;
  created_at: number;
  ok: boolean;
  time_ms: number;
  status: number;
  message: string;
}

function testsView(context: CommandContext): View<TestRow> {
  return {
    columns: [
      { heading: 'AT', unit: 'time', value: (row) => context.agoText(row.created_at), priority: 1 },
      { heading: 'MODEL', value: (row) => row.model, priority: 2 },
      { heading: 'RESULT', unit: 'word', value: (row) => (row.ok ? 'ok' : 'failed'), priority: 1 },
      { heading: 'MS', value: (row) => row.time_ms, align: 'right', priority: 3 },
      { heading: 'STATUS', value: (row) => row.status || '', align: 'right', priority: 5 },
      { heading: 'ERROR', value: (row) => row.message, priority: 4 },
    ],
    id: (row) => row.id,
  };
}

const reasons: Readonly<Record<string, string>> = {
  disabled: 'left out: disabled by hand',
  'disabled-automatically': 'left out: disabled automatically',
  'other-group': 'left out: serves other groups',
  'model-disabled': 'left out: this model is switched off there',
  endpoint: 'left out: cannot serve the endpoint',
  'no-usable-key': 'left out: no usable key',
  budget: 'left out: its budget is spent',
  cooling: 'left out: cooling',
};

/** The id behind `--token`; keys of other users have no name that an administrator could look up. */
function tokenId(wish: string | undefined): number | undefined {
  if (wish === undefined) return undefined;
  if (/^[1-9]\d{0,9}$/.test(wish)) return Number(wish);
  throw usageError(both('--token takes the id of a key', '--token 需要令牌编号'), { field: '--token' });
}

export function registerChannelExplain(channel: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);

  leaf(
    channel
      .command('explain')
      .requiredOption('--model <model>', say(both('as the client writes it', '客户端使用的模型名')))
      .option('--user <user>', say(both('whose call it would be', '调用用户')))
      .option('--token <id>', say(both('the key it would be made with', '使用的令牌编号')))
      .option('--group <group>', say(both('group; by default that of the key or user', '分组，默认取令牌或用户的分组')))
      .option('--endpoint <path>', say(both('path (/v1/chat/completions)', '接口路径（/v1/chat/completions）'))),
    runtime,
    {
      summary: both('Say where a call would go and why, calling nobody', '说明请求会路由到哪里及原因，不发起调用'),
      examples: ['channel explain --user alice --model gpt-4o'],
      prints: () => ({ columns: explainView.columns, fields: answerView.fields }),
      calls: ['channels.explain', 'users.get', 'users.search'],
      exits: [exitCodes.no],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const user = textOf(flags.user);
      const answer = await client.channels.explain({
        model: String(flags.model),
        user_id: user === undefined ? undefined : (await findUser(context, user)).id,
        token_id: tokenId(textOf(flags.token)),
        group: textOf(flags.group),
        endpoint: textOf(flags.endpoint),
      });
      if (['json', 'ndjson', 'yaml'].includes(context.printer.format)) {
        await context.printer.one(answer, answerView);
      } else {
        const rows: ExplainedRow[] = [
          ...answer.candidates.map((row, index) => ({ ...row, order: index + 1, note: '' })),
          ...answer.excluded.map((row) => ({
            order: undefined,
            channel_id: row.channel_id,
            name: row.name,
            group: '',
            tier: undefined,
            share: undefined,
            usable_keys: undefined,
            ratio: undefined,
            note: reasons[row.reason] ?? row.reason,
          })),
        ];
        await context.printer.list(rows, explainView);
      }
      const { rate_rule: rate, refusal } = answer;
      if (rate)
        context.note(
          context.say(both(`rate rule ${rate.rule}: ${rate.ratio}`, `费率规则 ${rate.rule}：${rate.ratio}`)),
        );
      if (refusal) context.note(context.say(both(`refused: ${refusal.message}`, `会被拒绝：${refusal.message}`)));
      if (refusal || answer.candidates.length === 0) context.endWith(exitCodes.no);
    },
  );

  leaf(
    withLimit(
      channel
        .command('tests')
        .argument('<channel>')
        .option('--model <model>', say(both('of this model', '指定模型')))
        .option('--since <time>', say(both('from this time on', '起始时间'))),
      say,
    ),
    runtime,
    {
      summary: both('Show what tests of a channel have found', '查看渠道的测试记录'),
      examples: ['channel tests 9 --since 1d'],
      prints: testsView,
      rows: 'channels.tests',
      orders: [],
      calls: ['channels.tests', ...findCalls],
    },
    async (context, [reference], flags) => {
      const client = await context.client();
      const row = await findChannel(context, String(reference));
      const tests = await client.channels.tests({
        id: row.id,
        model: textOf(flags.model),
        since: await momentOf(context, flags, 'since'),
        limit: limitOf(flags),
      });
      await context.printer.list(tests, testsView(context));
    },
  );
}
