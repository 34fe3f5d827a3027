/** Channels as files, and what an import did, on the wire. */
import { stringify } from 'csv-stringify/sync';
import { type ImportAnswer, transferMembers } from '../../contract/channel-transfer.ts';
import { findChannelType } from '../../contract/channel-types.ts';
import type { FileAnswer } from '../../contract/endpoint.ts';
import { formatError, type Language } from '../../contract/error-codes.ts';
import { guardFormula } from '../../contract/spreadsheet-text.ts';
import { joinKeys } from '../../domain/channel-keys.ts';
import type { ExportedChannel, ImportReport } from '../../domain/channel-transfer.ts';
import { presentChannel } from './channels.ts';
import { rowFile } from './row-file.ts';

export type ChannelFileFormat = 'json' | 'ndjson' | 'csv';

/** The channels as a download, streamed. */
export function channelFile(
  channels: AsyncIterable<ExportedChannel>,
  form: { readonly format: ChannelFileFormat; readonly keys: 'with-keys' | 'without-keys' },
): FileAnswer {
  const { format, keys } = form;
  return rowFile('channels', format, format === 'csv' ? csvOf(channels, keys) : jsonOf(channels, format));
}

function membersOf({ record }: ExportedChannel): Record<string, unknown> {
  const row = presentChannel(record, { cooling: 0, keyCounts: { total: 0, enabled: 0 } });
  const type = findChannelType(row.type)?.name ?? row.type;
  return Object.fromEntries(transferMembers.map((member) => [member, member === 'type' ? type : row[member]]));
}

async function* jsonOf(
  channels: AsyncIterable<ExportedChannel>,
  format: Exclude<ChannelFileFormat, 'csv'>,
): AsyncGenerator<string> {
  if (format === 'json') yield '[';
  let isFirst = true;
  for await (const channel of channels) {
    const keys = channel.keys?.map(({ record, key }) => ({ key, status: record.status, cap: record.cap }));
    const text = JSON.stringify({ ...membersOf(channel), ...(keys ? { keys } : {}) });
    yield format === 'ndjson' ? `${text}\n` : `${isFirst ? '' : ','}\n${text}`;
    isFirst = false;
  }
  if (format === 'json') yield '\n]\n';
}

async function* csvOf(
  channels: AsyncIterable<ExportedChannel>,
  keys: 'with-keys' | 'without-keys',
): AsyncGenerator<string> {
  const columns = keys === 'with-keys' ? [...transferMembers, 'key'] : transferMembers;
  yield `${columns.join(',')}\n`;
  for await (const channel of channels) {
    const type = findChannelType(channel.record.type) ?? {};
    const key = joinKeys(
      (channel.keys ?? []).map((entry) => entry.key),
      type,
    );
    const row: Record<string, unknown> = { ...membersOf(channel), key };
    yield stringify([columns.map((column) => cellOf(row[column]))]);
  }
}

function cellOf(value: unknown): string {
  return typeof value === 'string' ? guardFormula(value) : String(value ?? '');
}

/** The answer of an import, also of one that was refused. */
export function presentImport(report: ImportReport, mode: 'dry-run' | 'write', language: Language): ImportAnswer {
  const { rows, problems } = report;
  const count = (action: string) => rows.filter((row) => row.action === action).length;
  return {
    ...verdictOf(report, language),
    dry_run: mode === 'dry-run',
    created: count('create'),
    updated: count('update'),
    unchanged: count('unchanged'),
    skipped: count('skip'),
    rows: rows.map(({ row, name, action, id, changes }) => ({
      row,
      name,
      action,
      id: id ?? null,
      changes: [...changes],
    })),
    problems: problems.map(({ row, name, field, error }) => ({
      row,
      name,
      field,
      code: error.code,
      message: formatError(error.code, { field, ...error.params }, language),
    })),
  };
}

function verdictOf({ problems }: ImportReport, language: Language): Pick<ImportAnswer, 'success' | 'message'> {
  const [first] = problems;
  if (!first) return { success: true, message: '' };
  const code = 'channel_import_invalid';
  const { row, field: member } = first;
  const message = formatError(code, { count: problems.length, row, member }, language);
  const verdict = { success: false, message, code, field: `channels.${row - 1}.${member}` };
  return verdict;
}
