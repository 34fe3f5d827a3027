/** `audit`: what administrators did, for administrators. */

import type { Command } from 'commander';
import type { AuditVerification } from '../../daemon/contract/audits.ts';
import { group, leaf, type Runtime } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { CliError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { textOf } from '../flags.ts';
import { both, type Say, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { limitOf, told, walk, withLimit } from '../paging.ts';
import { fileFormatOf, printFile, withFormat } from '../server-file.ts';
import { spanOf } from '../time-span.ts';

interface AuditRow {
  id: number;
  created_at: number;
  actor_id: number;
  actor_name: string;
  ip: string;
  action: string;
  target: string;
  detail: string;
  request_id: string;
}

const auditView = (context: CommandContext): View<AuditRow> => ({
  columns: [
    { heading: 'AT', unit: 'time', value: (row) => context.agoText(row.created_at), priority: 1 },
    { heading: 'ACTOR', value: (row) => row.actor_name || 'system', priority: 1 },
    { heading: 'ACTION', value: (row) => row.action, priority: 1 },
    { heading: 'TARGET', value: (row) => row.target, priority: 2 },
    { heading: 'FROM', value: (row) => row.ip, priority: 4 },
    { heading: 'REQUEST', value: (row) => row.request_id, priority: 6 },
  ],
  jsonMembers: ['detail'],
  id: (row) => row.id,
});

const verifiedView: View<AuditVerification> = {
  columns: [
    { heading: 'INTACT', value: (row) => row.intact },
    { heading: 'ROWS', value: (row) => row.rows, align: 'right' },
    { heading: 'FIRST BROKEN', value: (row) => row.first_broken, align: 'right' },
    { heading: 'MISSING', value: (row) => row.missing, align: 'right' },
    { heading: 'HEAD', value: (row) => row.head },
  ],
  id: (row) => row.head,
};

function withFilters(command: Command, say: Say): Command {
  return command
    .option('--actor <user>', say(both('by this user, id or name', '操作者编号或名称')))
    .option('--action <action>', say(both('of this kind, such as channel.update', '操作类型，如 channel.update')))
    .option('--target <target>', say(both('to this, such as channel:7', '操作对象，如 channel:7')))
    .option('--since <time>', say(both('from this time on', '起始时间')))
    .option('--until <time>', say(both('until this time', '结束时间')));
}

async function filtersOf(context: CommandContext, flags: Readonly<Record<string, unknown>>) {
  return {
    actor: textOf(flags.actor),
    action: textOf(flags.action),
    target: textOf(flags.target),
    ...(await spanOf(context, flags)),
  };
}

export function registerAuditCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const audit = group(program, runtime, 'audit', both('Audit trail', '审计记录'));

  leaf(
    withLimit(withFilters(audit.command('list').alias('ls'), say), say),
    runtime,
    {
      summary: both('List what was done, newest first', '列出操作，最新在前'),
      examples: ['audit list --actor root --since 7d', 'audit list --target channel:7 -o json'],
      prints: auditView,
      rows: 'audits.list',
      orders: [],
      calls: ['audits.list'],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const filter = await filtersOf(context, flags);
      const rows = walk<AuditRow>({
        page: (page, page_size) => client.audits.list({ ...filter, page, page_size }),
        keyOf: (row) => row.id,
        limit: limitOf(flags),
        ...told(context, 'audit export'),
      });
      await context.printer.list(rows, auditView(context));
    },
  );

  leaf(
    audit.command('verify'),
    runtime,
    {
      summary: both('Walk the chain of digests; ends with 2 when it is broken', '校验审计链，断裂时以 2 退出'),
      examples: ['audit verify'],
      prints: () => verifiedView,
      rows: 'audits.verify',
      calls: ['audits.verify'],
      exits: [exitCodes.no],
    },
    async (context) => {
      const client = await context.client();
      const found = await client.audits.verify({});
      await context.printer.one(found, verifiedView);
      if (found.intact) return;
      const { first_broken: row, missing } = found;
      const text =
        row === null
          ? both(
              'the chain is broken: {missing} {missing:row is|rows are} missing at its end',
              '审计链断裂：末尾缺少 {missing} 行',
              { missing },
            )
          : both(`the chain is broken: row ${row}`, `审计链断裂：第 ${row} 行`);
      throw new CliError('audit_broken', exitCodes.no, text);
    },
  );

  leaf(
    withFormat(withFilters(audit.command('export'), say), say),
    runtime,
    {
      summary: both('Export the rows with their digests, streamed', '导出审计记录及摘要'),
      examples: ['audit export --since 30d --out audit.csv'],
      prints: 'text',
      calls: ['audits.export'],
    },
    async (context, _args, flags) => {
      const format = fileFormatOf(flags);
      const client = await context.client();
      await printFile(context, await client.audits.export({ ...(await filtersOf(context, flags)), format }));
    },
  );
}
