/** `channel export` and `channel import`: channels as YAML, JSON, NDJSON or CSV. */
import type { Command } from 'commander';
import { parse as readYaml } from 'yaml';
import type { clashRules, ImportAnswer } from '../../daemon/contract/channel-transfer.ts';
import { type Flags, leaf, type Runtime } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { chosenBy } from '../empty-words.ts';
import { CliError, localError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { textOf, wordFlag, wordsOf } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { Printed } from '../output/choices.ts';
import type { View } from '../output/columns.ts';
import { referencesOf } from '../references.ts';
import { wholeFile } from '../server-file.ts';
import { channelTypeOf, findCalls, findChannel } from './channel-reference.ts';

type ImportedRow = ImportAnswer['rows'][number];
type Problem = ImportAnswer['problems'][number];

const importView: View<ImportedRow> = {
  columns: [
    { heading: 'ROW', value: (row) => row.row, align: 'right', priority: 1 },
    { heading: 'NAME', value: (row) => row.name, priority: 1 },
    { heading: 'ACTION', value: (row) => row.action, priority: 1 },
    { heading: 'ID', value: (row) => row.id, align: 'right', priority: 2 },
    {
      heading: 'CHANGES',
      value: (row) => row.changes.map(({ field, from, to }) => `${field}: ${from} → ${to}`).join('; '),
      priority: 3,
    },
  ],
  fields: ['row', 'name', 'action', 'id', 'changes'],
  id: (row) => row.id ?? row.name,
};

const answerView: View<ImportAnswer> = {
  columns: [],
  fields: [
    'success',
    'message',
    'code',
    'field',
    'dry_run',
    'created',
    'updated',
    'unchanged',
    'skipped',
    'rows',
    'problems',
  ],
  id: () => '',
};

/** The whole answer is printed as JSON and YAML, and a row for each channel otherwise. */
export function imported({ printer }: CommandContext): Printed {
  const isWhole = ['json', 'yaml'].includes(printer.format);
  return { columns: importView.columns, fields: isWhole ? answerView.fields : importView.fields };
}

const problemView: View<Problem> = {
  columns: [
    { heading: 'ROW', value: (row) => row.row, align: 'right', priority: 1 },
    { heading: 'NAME', value: (row) => row.name, priority: 1 },
    { heading: 'FIELD', value: (row) => row.field, priority: 1 },
    { heading: 'CODE', value: (row) => row.code, priority: 3 },
    { heading: 'MESSAGE', value: (row) => row.message, priority: 2 },
  ],
  fields: ['row', 'name', 'field', 'code', 'message'],
  id: (row) => row.row,
};

type ClashRule = (typeof clashRules)[number];

const formHint = both('tollgate channel export shows the form', '格式可参考 tollgate channel export 的输出');

/** The objects of NDJSON; undefined for a text that has anything else in a line. */
function objectsIn(text: string): Record<string, unknown>[] | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (!lines.every((line) => line.startsWith('{'))) return undefined;
  try {
    return lines.map((line) => JSON.parse(line));
  } catch {
    // It may be YAML in braces yet.
    return undefined;
  }
}

/** What a file says: CSV is read by the server, YAML, JSON and NDJSON here. Throws exit 12. */
function documentOf(text: string, path: string): { csv: string } | { channels: Record<string, unknown>[] } {
  if (path.endsWith('.csv') || (path === '-' && /^[\w"]+(?:,[\w"]+)+\s*$/m.test(text.split('\n')[0] ?? ''))) {
    return { csv: text };
  }
  const objects = objectsIn(text);
  let value: unknown;
  try {
    value = objects !== undefined && (objects.length > 1 || path.endsWith('.ndjson')) ? objects : readYaml(text);
  } catch (cause) {
    const words = both(`${path} is no YAML or JSON`, `${path} 不是 YAML 或 JSON`);
    throw localError(words, { field: 'file', hint: formHint, cause });
  }
  const rows = typeof value === 'object' && value !== null && 'channels' in value ? value.channels : value;
  if (Array.isArray(rows)) return { channels: rows };
  const words = both(`${path} holds no list of channels`, `${path} 中没有渠道列表`);
  throw localError(words, { field: 'file', hint: formHint });
}

/** Why nothing was imported, with what to do; what is wrong with each row was printed before. */
function refusedImport({ code, message, problems }: ImportAnswer): CliError {
  const isClash = problems.length > 0 && problems.every((problem) => problem.code === 'channel_import_clash');
  return new CliError(code ?? 'channel_import_invalid', exitCodes.usage, both(message, message), {
    hint: isClash
      ? both('--on-clash skip, update or create', '请加上 --on-clash skip、update 或 create')
      : both('correct these rows and run it again', '请修正以上各行后重新运行'),
  });
}

/** Reads a file and imports it; what the server refuses is listed row by row and ends the command with 3. */
export async function importFile(
  context: CommandContext,
  path: string,
  how: { readonly onClash: ClashRule; readonly dryRun: boolean },
): Promise<void> {
  const client = await context.client();
  const source = path === '-' || path.startsWith('@') || path.startsWith('file:') ? path : `@${path}`;
  const document = documentOf(await context.value(source, path), path);
  const answer = await client.channels.import({ ...document, on_clash: how.onClash, dry_run: how.dryRun });
  const { created, updated, unchanged, skipped } = answer;
  if (['json', 'yaml'].includes(context.printer.format)) {
    await context.printer.one(answer, answerView);
  } else if (answer.success) {
    await context.printer.list(answer.rows, importView);
  } else if (context.flags.quiet !== true) {
    // What was asked for by name was asked of the channels.
    const { columns: _columns, json, ...wishes } = context.flags;
    const printer = context.printerOf({ ...wishes, ...(json === undefined ? {} : { json: '' }) });
    await printer.list(answer.problems, problemView);
  }
  if (!answer.success) throw refusedImport(answer);
  const counts = both(
    `${created} created, ${updated} updated, ${unchanged} unchanged, ${skipped} skipped`,
    `新增 ${created}，更新 ${updated}，未变 ${unchanged}，跳过 ${skipped}`,
  );
  if (how.dryRun) context.note(context.say(both(`dry run: ${counts.en}`, `试运行：${counts.zh}`)));
  else context.done(counts);
}

type ExportedRow = Record<string, string | number | null>;

async function exportView(): Promise<View<ExportedRow>> {
  const { transferMembers } = await import('../../daemon/contract/channel-transfer.ts');
  return {
    columns: transferMembers.map((member) => ({ heading: member.toUpperCase(), value: (row) => row[member] })),
    fields: [...transferMembers, 'keys'],
    jsonMembers: ['model_mapping', 'status_code_mapping', 'setting', 'param_override'],
    id: (row) => String(row.name),
    verbatim: true,
  };
}

/** What the server tells apart: `disabled` by whomever, `auto` by the daemon. */
const exportedStates = ['enabled', 'disabled', 'auto'] as const;

/** Which channels are meant, as the server filters them. */
async function exportFilter(context: CommandContext, references: readonly string[], flags: Flags) {
  const ids: number[] = [];
  for (const name of references) ids.push((await findChannel(context, name)).id);
  const type = textOf(flags.type);
  const number = type === undefined ? undefined : await channelTypeOf(type);
  const status = exportedStates.find((known) => known === flags.status);
  if (flags.status !== undefined && status === undefined) {
    const states = exportedStates.join(', ');
    throw usageError(both(`--status takes one of ${states}`, `--status 可为 ${states} 之一`), { field: '--status' });
  }
  const group = textOf(flags.group);
  return {
    ids: ids.length === 0 ? undefined : ids.join(','),
    type: number,
    status,
    group,
    tag: chosenBy(flags.tag, '--tag'),
  };
}

export function registerChannelTransfer(channel: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);

  leaf(
    channel
      .command('export')
      .argument('[channel...]')
      .option('--tag <tag>', say(both('with this tag', '指定标签')))
      .option('--group <group>', say(both('in this group', '指定分组')))
      .option('--type <type>', say(both('name or number of the type', '类型名称或编号')))
      .addOption(wordFlag('--status <status>', say(both('in this state', '指定状态')), exportedStates))
      .option('--reveal', say(both('with their keys; this is audited', '包含密钥（会写入审计）'))),
    runtime,
    {
      summary: both('Export channels as YAML, JSON, NDJSON or CSV', '导出渠道为 YAML、JSON、NDJSON 或 CSV'),
      examples: ['channel export --tag azure --out azure.yaml'],
      prints: exportView,
      calls: ['channels.export', ...findCalls],
      together: true,
    },
    async (context, [references], flags) => {
      const client = await context.client();
      const names = await referencesOf(context, references);
      // Nothing came through the pipe: without names it would be all of them.
      if (names.length === 0 && wordsOf(references).length > 0) return;
      const filter = { ...(await exportFilter(context, names, flags)), keys: flags.reveal === true };
      const isChosen = flags.output !== undefined || flags.json !== undefined || flags.jq !== undefined;
      const isFile = /\.(csv|json|ndjson|yaml)$/.test(String(flags.out ?? ''));
      const printer = isChosen || isFile ? context.printer : context.printerOf({ ...flags, output: 'yaml' });
      if (printer.format === 'csv' && flags.columns === undefined) {
        await printer.text(await wholeFile(await client.channels.export({ ...filter, format: 'csv' })));
        return;
      }
      const rows: unknown = JSON.parse(await wholeFile(await client.channels.export({ ...filter, format: 'json' })));
      await printer.list(Array.isArray(rows) ? rows : [], await exportView());
    },
  );

  leaf(
    channel
      .command('import')
      .argument('<file>')
      .addOption(
        wordFlag('--on-clash <rule>', say(both('where the name is taken (fail)', '重名时的处理（fail）')), [
          'fail',
          'skip',
          'update',
          'create',
        ]),
      )
      .option('--dry-run', say(both('say what would happen, change nothing', '仅预览，不做更改'))),
    runtime,
    {
      summary: both('Import channels, all or none', '导入渠道，全部成功或全部不变'),
      examples: ['channel import azure.yaml --on-clash update --dry-run'],
      prints: imported,
      calls: ['channels.import'],
    },
    async (context, [file], flags) => {
      const { clashRules: rules } = await import('../../daemon/contract/channel-transfer.ts');
      const rule = rules.find((known) => known === (flags.onClash ?? 'fail'));
      if (rule === undefined) {
        const list = rules.join(', ');
        throw usageError(both(`--on-clash takes ${list}`, `--on-clash 可为 ${list}`), { field: '--on-clash' });
      }
      await importFile(context, String(file), { onClash: rule, dryRun: flags.dryRun === true });
    },
  );
}
