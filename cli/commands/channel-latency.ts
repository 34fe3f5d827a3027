/** `channel latency`: how long channels and their models take, and how they fail. */
import type { Command } from 'commander';
import type { LatencyView } from '../../daemon/contract/system.ts';
import { leaf, type Runtime } from '../command.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { findCalls, findChannel } from './channel-reference.ts';

const latencyView: View<LatencyView> = {
  columns: [
    { heading: 'ID', value: (row) => row.channel, align: 'right', priority: 1 },
    { heading: 'NAME', value: (row) => row.name, priority: 1 },
    { heading: 'MODEL', value: (row) => row.model ?? '*', priority: 2 },
    { heading: 'ANSWERED', value: (row) => row.answered, align: 'right', priority: 3 },
    { heading: 'FAILED', value: (row) => row.failed, align: 'right', priority: 2 },
    { heading: 'FIRST P50 MS', value: (row) => row.first_token?.p50, align: 'right', priority: 3 },
    { heading: 'FIRST P95 MS', value: (row) => row.first_token?.p95, align: 'right', priority: 4 },
    { heading: 'P50 MS', value: (row) => row.duration?.p50, align: 'right', priority: 1 },
    { heading: 'P95 MS', value: (row) => row.duration?.p95, align: 'right', priority: 2 },
    { heading: 'ERRORS', value: (row) => row.errors.map((one) => `${one.class} ${one.count}`).join(', '), priority: 4 },
  ],
  id: (row) => row.channel,
};

export function registerChannelLatency(channel: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    channel
      .command('latency')
      .argument('[channel]')
      .option('--by-model', say(both('one row a model', '按模型列出'))),
    runtime,
    {
      summary: both('How long channels took in the last hour, and how they failed', '近一小时各渠道的耗时与失败分类'),
      examples: ['channel latency', 'channel latency openai-main --by-model'],
      prints: () => latencyView,
      rows: 'system.latency',
      orders: [],
      calls: ['system.latency', ...findCalls],
    },
    async (context, [reference], flags) => {
      const client = await context.client();
      const only = reference ? (await findChannel(context, String(reference))).id : undefined;
      const { items } = await client.system.latency();
      const rows = items.filter(
        (row) => (only === undefined || row.channel === only) && (row.model !== null) === (flags.byModel === true),
      );
      await context.printer.list(rows, latencyView);
    },
  );
}
