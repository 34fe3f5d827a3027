/** `node`: the processes that share the database, for administrators. */

import type { Command } from 'commander';
import type { NodeView } from '../../daemon/contract/system.ts';
import { group, leaf, type Runtime } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { CliError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';

const nodeView = (context: CommandContext): View<NodeView> => ({
  columns: [
    { heading: 'NODE', value: (row) => row.id, priority: 1 },
    { heading: 'VERSION', value: (row) => row.version, priority: 2 },
    {
      heading: 'UP',
      unit: 'time',
      value: (row) => (row.alive ? context.agoText(row.started_at) : 'silent'),
      priority: 1,
    },
    { heading: 'ROLE', unit: 'word', value: (row) => row.role, priority: 4 },
    { heading: 'REVISION', value: (row) => row.revision, align: 'right', priority: 5 },
    { heading: 'LAG', value: (row) => row.lag, align: 'right', priority: 3 },
    { heading: 'RPS', value: (row) => row.calls_per_second, align: 'right', priority: 3 },
    { heading: 'RUNNING', value: (row) => row.running, align: 'right', priority: 6 },
    { heading: 'MEMORY MB', value: (row) => Math.round(row.memory_bytes / 1e6), align: 'right', priority: 7 },
  ],
  id: (row) => row.id,
});

export function registerNodeCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const node = group(program, runtime, 'node', both('Nodes of the cluster', '集群节点'));
  leaf(
    node
      .command('list')
      .alias('ls')
      .option('--same-version', say(both('end with 2 when versions differ', '版本不一致时以 2 退出'))),
    runtime,
    {
      summary: both('List the nodes as of their last heartbeat', '列出节点及其最近心跳'),
      examples: ['node list', 'node list --same-version -q'],
      prints: nodeView,
      rows: 'system.nodes',
      orders: [],
      calls: ['system.nodes'],
      exits: [exitCodes.no],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const { items } = await client.system.nodes();
      await context.printer.list(items, nodeView(context));
      const versions = new Set(items.filter(({ alive }) => alive).map(({ version }) => version));
      if (flags.sameVersion !== true || versions.size <= 1) return;
      const shown = [...versions].join(', ');
      throw new CliError('versions_differ', exitCodes.no, both(`versions differ: ${shown}`, `版本不一致：${shown}`));
    },
  );
}
