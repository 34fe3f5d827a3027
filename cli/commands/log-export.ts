/** `log export`: rows as a file, streamed; the totals that end the file go to standard error. */
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Command } from 'commander';
import { leaf, type Runtime } from '../command.ts';
import { countedText } from '../counted.ts';
import { ExportCut, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { textOf } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import { isTotals, totalsText } from '../log-totals.ts';
import { fileFormatOf, piecesOf, withFormat } from '../server-file.ts';
import { filters, seesAll, withFilters } from './log-filters.ts';

/** Pieces of the text without its last line, which is handed over when the text has ended; what it throws ends them. */
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

/** The first line of a text that passes by. */
async function* withFirstLine(chunks: AsyncIterable<string>, first: (line: string) => void): AsyncGenerator<string> {
  let isTold = false;
  for await (const chunk of chunks) {
    // A chunk is whole lines.
    if (!isTold) first(chunk.slice(0, chunk.indexOf('\n')).trimEnd());
    isTold = true;
    yield chunk;
  }
}

async function* packed(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip();
  // What goes wrong on the way in is what reading ends with.
  void pipeline(pieces, gzip).catch(() => undefined);
  yield* gzip;
}

/** Throws exit 3 for what is no id. */
function idOf(flag: string | undefined): number | undefined {
  if (flag === undefined) return undefined;
  if (/^[1-9]\d{0,14}$/.test(flag)) return Number(flag);
  throw usageError(both('--after takes the id of a row', '--after 须为日志编号'), { field: '--after' });
}

/** @param rows what became of those that came: a file that is not whole is removed */
function exportCut(rows: 'kept' | 'removed', cause: unknown): ExportCut {
  return new ExportCut(exitCodes.partial, {
    cause,
    hint:
      rows === 'kept'
        ? both(
            'go on behind the last whole row: the same with --after and its id, of own rows its request id',
            '从最后一个完整的行之后继续：加上 --after 与该行编号（本人记录为请求编号）重新运行',
          )
        : both(
            'no file was written: run it again; without --out, what has come stays, and --after goes on behind it',
            '未写入文件，请重新运行；不用 --out 时已收到的行会保留，可用 --after 继续',
          ),
  });
}

export function registerLogExport(log: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    withFormat(withFilters(log.command('export'), say), say)
      .option(
        '--after <id>',
        say(
          both(
            'go on behind this row, the last one of a file that was cut: its id; of own rows their request id, where a request has several rows REQUEST/ID',
            '从该行（被中断的文件的最后一行）之后继续导出：填写其编号；导出本人记录时填写其请求编号，同一请求有多行时写作 请求编号/编号',
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
        'log export --mine --since 30d --after 20261121035544123456789AbCdEfGh > rest.csv',
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
      const after = textOf(flags.after);
      const answer = (await seesAll(context, flags))
        ? await client.logs.export({ ...filter, resume_after: idOf(after) })
        : await client.logs.exportOwn({ ...own, resume_after: after });
      const cut = (cause?: unknown) => exportCut(flags.out === undefined ? 'kept' : 'removed', cause);
      if (answer.body === null) throw cut();
      let totals = '';
      const rows = withoutLastLine(piecesOf(answer.body, cut), (line) => {
        // Before the file is put into its place: a connection that is cut may end like one that is not.
        if (!isTotals(line)) throw cut();
        totals = line;
      });
      let heading = '';
      const told = countedText(
        context,
        withFirstLine(rows, (line) => {
          heading = line;
        }),
      );
      if (isPacked) await context.writeResult(packed(told));
      else await context.printer.stream(told);
      context.note(context.say(totalsText(totals, heading)));
    },
  );
}
