/** Files that the server writes: which form they have, and their way out. */
import type { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { countedText } from './counted.ts';
import { ExportCut, usageError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
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

/** The form asked for, else csv. Throws exit 3 for a format that there is not. */
export function fileFormatOf(flags: FormatFlags): FileFormat {
  return wantedFormat(flags, formats) ?? (/\.ndjson(?:\.gz)?$/.test(String(flags.out ?? '')) ? 'ndjson' : 'csv');
}

type FormatFlags = Readonly<Record<string, unknown>>;

/** `--format`, else `-o` as everywhere; undefined without either. Throws exit 3 for one that the server does not write. */
export function wantedFormat<Format extends string>(
  { format, output, json }: FormatFlags,
  known: readonly Format[],
): Format | undefined {
  const wanted = format ?? output ?? (json === undefined ? undefined : 'json');
  if (wanted === undefined) return undefined;
  const found = known.find((name) => name === wanted);
  if (found !== undefined) return found;
  const names = known.join(', ');
  throw usageError(both(`no format ${wanted}; there are ${names}`, `没有格式 ${wanted}；可用：${names}`), {
    field: format === undefined ? '--output' : '--format',
  });
}

/** What a file that broke off leads to. @param cause what reading it ended with; undefined where only its end is missing */
type Cut = (cause?: unknown) => ExportCut;

function fileCut({ signal }: CommandContext, cause: unknown): ExportCut {
  // Who has ended it needs no look at the daemon.
  const hint = signal.aborted
    ? both('what was written is not whole: run it again', '已输出的内容不完整，请重新运行')
    : both(
        'what was written is not whole: see that the daemon runs, and run it again',
        '已输出的内容不完整：请确认服务正在运行，然后重新运行',
      );
  return new ExportCut(exitCodes.unavailable, { cause, hint });
}

/**
 * The file as it comes. A server that stops, a connection that is lost, and the end of the command in the middle of it
 * end it with `cut`.
 */
export async function* piecesOf<Piece>(body: AsyncIterable<Piece>, cut: Cut): AsyncGenerator<Piece> {
  try {
    yield* body;
  } catch (error) {
    throw cut(error);
  }
}

/** Passes the file on as it comes. */
export async function printFile(context: CommandContext, { body }: Response): Promise<void> {
  if (body === null) return;
  const pieces = piecesOf(body.pipeThrough(new TextDecoderStream()), (cause) => fileCut(context, cause));
  await context.printer.stream(countedText(context, pieces));
}

/** The text of a file of which nothing is printed before its end. Throws `network_error` where it breaks off. */
export async function wholeFile(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    const { ApiError } = await import('../daemon/contract/api-error.ts');
    throw new ApiError({ code: 'network_error', message: String(cause), status: 0, cause });
  }
}
