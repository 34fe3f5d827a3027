/** Files that the server writes: which form they have, and their way out. */
import type { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { countedText } from './counted.ts';
import { usageError } from './errors.ts';
import { wordFlag } from './flags.ts';
import { both, type Say } from './language.ts';

const formats = ['csv', 'ndjson'] as const;
type FileFormat = (typeof formats)[number];

/** Adds the flag that chooses the form. */
export function withFormat(command: Command, say: Say): Command {
  return command.addOption(
    wordFlag('--format <format>', say(both('form of the file (csv)', '文件格式（csv）')), formats),
  );
}

/** `--format`, else the ending of `--out`, else csv. Throws exit 3 for a format that there is not. */
export function fileFormatOf(flags: Readonly<Record<string, unknown>>): FileFormat {
  const wanted = flags.format ?? (/\.ndjson(?:\.gz)?$/.test(String(flags.out ?? '')) ? 'ndjson' : 'csv');
  const format = formats.find((known) => known === wanted);
  if (format !== undefined) return format;
  throw usageError(both(`no format ${wanted}`, `没有格式 ${wanted}`), { field: '--format' });
}

/** Passes the file on as it comes. */
export async function printFile(context: CommandContext, { body }: Response): Promise<void> {
  if (body) await context.printer.stream(countedText(context, body.pipeThrough(new TextDecoderStream())));
}
