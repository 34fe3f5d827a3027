/** `search`: records by name, of every kind that the caller may see. */
import type { Command } from 'commander';
import type { FoundObjectView } from '../../daemon/contract/search.ts';
import { leaf, type Runtime } from '../command.ts';
import { both } from '../language.ts';
import type { View } from '../output/columns.ts';

const chineseKinds: Readonly<Record<string, string>> = {
  channel: '渠道',
  user: '用户',
  token: '令牌',
  redemption: '兑换码',
};

const foundView: View<FoundObjectView> = {
  columns: [
    { heading: 'KIND', value: (row) => row.kind, chineseCell: (kind) => chineseKinds[kind] ?? kind, priority: 1 },
    { heading: 'ID', value: (row) => row.id, align: 'right', priority: 1 },
    { heading: 'NAME', value: (row) => row.name, priority: 1 },
  ],
  id: (row) => row.id,
};

export function registerSearchCommand(program: Command, runtime: Runtime): void {
  leaf(
    program.command('search').argument('<text>'),
    runtime,
    {
      summary: both(
        'Find keys by name, for administrators also channels, users and codes; five of each',
        '按名称查找令牌，管理员还可查找渠道、用户与兑换码，每类最多 5 条',
      ),
      examples: ['search alice', 'search openai -o json'],
      prints: () => foundView,
      rows: 'search.find',
      calls: ['search.find'],
    },
    async (context, [text]) => {
      const client = await context.client();
      await context.printer.list(await client.search.find({ keyword: String(text) }), foundView);
    },
  );
}
