/** `channel override preview`: what a parameter override makes of a sample body. */
import type { Command } from 'commander';
import type { OverridePreview } from '../../daemon/contract/channel-insight.ts';
import { group, leaf, type Runtime } from '../command.ts';
import { usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { textOf } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { findCalls, findChannel } from './channel-reference.ts';

const previewView: View<OverridePreview> = {
  columns: [
    { heading: 'BODY', value: ({ body }) => (body === null ? '' : JSON.stringify(body)), priority: 1 },
    {
      heading: 'HEADERS',
      value: ({ headers }) =>
        headers.map(({ name, value }) => (value === null ? `-${name}` : `${name}: ${value}`)).join(', '),
      priority: 2,
    },
    {
      heading: 'ERROR',
      value: ({ refusal }) => (refusal === null ? '' : `${refusal.status} ${refusal.code}: ${refusal.message}`),
      priority: 1,
    },
  ],
  fields: ['body', 'headers', 'refusal'],
  id: ({ refusal }) => refusal?.code ?? 'body',
};

export function registerChannelOverride(channel: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const override = group(channel, runtime, 'override', both('Parameter overrides', '参数覆盖'));

  leaf(
    override
      .command('preview')
      .argument('[channel]')
      .requiredOption('--body <json>', say(both('sample body: JSON, @file or -', '示例请求体：JSON、@文件 或 -')))
      .option('--override <json>', say(both("in place of the channel's own", '代替渠道自身的参数覆盖')))
      .option('--user-group <group>', say(both('user_group of conditions', '条件中的 user_group')))
      .option('--group <group>', say(both('using_group of conditions', '条件中的 using_group')))
      .option('--retry <n>', say(both('retry_index of conditions', '条件中的 retry_index'))),
    runtime,
    {
      summary: both('Show what a parameter override makes of a body', '预览参数覆盖对请求体的效果'),
      examples: [
        'channel override preview 4 --body @body.json',
        'channel override preview --override @override.json --body @body.json',
      ],
      prints: () => previewView,
      calls: ['channels.previewOverride', ...findCalls],
      exits: [exitCodes.no],
    },
    async (context, [given], flags) => {
      const reference = given ? String(given) : undefined;
      const wish = textOf(flags.override);
      if (reference === undefined && wish === undefined) {
        throw usageError(both('name a channel or give --override', '请指定渠道或 --override'), { field: '--override' });
      }
      const body = await context.value(String(flags.body), '--body');
      const row = reference === undefined ? undefined : await findChannel(context, reference);
      const client = await context.client();
      const answer = await client.channels.previewOverride({
        param_override: wish === undefined ? (row?.param_override ?? '') : await context.value(wish, '--override'),
        body,
        facts: {
          channel_id: row?.id,
          user_group: textOf(flags.userGroup),
          using_group: textOf(flags.group),
          retry_index: retryOf(textOf(flags.retry)),
        },
      });
      await context.printer.one(answer, previewView);
      if (answer.refusal !== null) context.endWith(exitCodes.no);
    },
  );
}

/** How many attempts have failed before. Throws exit 3 for what is no count. */
function retryOf(wish: string | undefined): number | undefined {
  if (wish === undefined || /^\d{1,3}$/.test(wish)) return wish === undefined ? undefined : Number(wish);
  throw usageError(both('--retry takes a count, from 0', '--retry 需要次数，从 0 起'), { field: '--retry' });
}
