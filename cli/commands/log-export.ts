/** `log export`: rows as a file, streamed; the totals that end the file go to standard error. */
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Command } from 'commander';
import { leaf, type Runtime } from '../command.ts';
import { countedText } from '../counted.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { fileFormatOf } from '../file-format.ts';
import { both, sayIn } from '../language.ts';
import { filters, seesAll, withFilters } from './log-filters.ts';

/** Pieces of the text without its last line, which is handed over when the text has ended. */
async function* withoutLastLine(
  chunks: AsyncIterable<Uint8Array>,
  last: (line: string) => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let held = '';
  for await (const chunk of chunks) {
    held += decoder.decode(chunk, { stream: true });
    // The end of a line is held back too: it may be that of the line before the last.
    const end = held.lastIndexOf('\n', held.length - 2);
    if (end < 0) continue;
    yield held.slice(0, end + 1);
    held = held.slice(end + 1);
  }
  last(held.trimEnd());
}

async function* packed(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip();
  // What goes wrong on the way in is what reading ends with.
  void pipeline(pieces, gzip).catch(() => undefined);
  yield* gzip;
}

/** Throws exit 3 for what is no id. */
function idOf(flag: unknown): number | undefined {
  if (flag === undefined) return undefined;
  if (/^[1-9]\d{0,14}$/.test(String(flag))) return Number(flag);
  throw usageError(both('--after takes the id of a row', '--after 须为日志编号'), { field: '--after' });
}

/** Rows of one's own come without the ids of the log. */
function refuseOwn(flag: unknown): undefined {
  if (flag === undefined) return undefined;
  throw usageError(both('--after is for exports of all rows', '--after 仅用于导出全部日志'), {
    field: '--after',
    hint: both('end with the time of the last row: --until @TIME', '请用 --until @时间 指定最后一行的时间'),
  });
}

export function registerLogExport(log: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    withFilters(log.command('export'), say)
      .option('--format <format>', say(both('csv or ndjson (csv)', '格式：csv 或 ndjson（csv）')))
      .option(
        '--after <id>',
        say(
          both(
            'go on behind this row, the last one of a file that was cut',
            '从该行（被中断的文件的最后一行）之后继续导出',
          ),
        ),
      )
      .option('--gzip', say(both('compressed; implied by --out FILE.gz', '以 gzip 压缩；--out 以 .gz 结尾时默认压缩'))),
    runtime,
    {
      summary: both('Export log rows, streamed; totals on standard error', '导出日志，合计输出到标准错误'),
      examples: [
        'log export --since yesterday --until today --out l.csv',
        'log export --since yesterday --until today --gzip --out l.csv.gz',
        'log export --since yesterday --until today --after 1 > rest.csv',
      ],
      prints: 'text',
      calls: ['logs.export', 'logs.exportOwn', 'account.credential'],
      exits: [exitCodes.partial],
    },
    async (context, _args, flags) => {
      const format = fileFormatOf(flags);
      const isPacked = flags.gzip === true || flags.out?.endsWith('.gz') === true;
      if (isPacked && flags.out === undefined && context.terminal.stdout) {
        throw usageError(both('--gzip is for a file or a pipe', '--gzip 须输出到文件或管道'), { field: '--gzip' });
      }
      const client = await context.client();
      const filter = { ...(await filters(context, flags)), format };
      const { username: _username, channel: _channel, ...own } = filter;
      const isWhole = await seesAll(context, flags);
      const after = isWhole ? idOf(flags.after) : refuseOwn(flags.after);
      const answer = isWhole
        ? await client.logs.export({ ...filter, resume_after: after })
        : await client.logs.exportOwn(own);
      let totals = '';
      if (answer.body) {
        const rows = withoutLastLine(answer.body, (line) => {
          totals = line;
        });
        const told = countedText(context, rows);
        if (isPacked) await context.writeResult(packed(told));
        else await context.printer.stream(told);
      }
      if (!/^total,|^\{"total":/.test(totals)) {
        throw new CliError('export_cut', exitCodes.partial, both('the export was cut off', '导出被中断'), {
          hint: both(
            'go on behind the last whole row: the same with --after and its id',
            '从最后一个完整的行之后继续：加上 --after 与该行编号重新运行',
          ),
        });
      }
      context.note(totals.replace(/,+/g, ' '));
    },
  );
}
