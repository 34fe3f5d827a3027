/** `channel test`: calls upstreams the way live traffic does; exit 2 when one of them failed. */
import type { Command } from 'commander';
import pMap from 'p-map';
import { leaf, type Runtime } from '../command.ts';
import { usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { both } from '../language.ts';
import type { View } from '../output/columns.ts';
import { walk } from '../paging.ts';
import { findChannel } from './channel-reference.ts';

interface TestRow {
  id: number;
  name: string;
  model: string;
  ok: boolean;
  /** Seconds. */
  time: number;
  code: string;
  message: string;
}

const testView: View<TestRow> = {
  columns: [
    { heading: 'ID', value: (row) => row.id, align: 'right', priority: 1 },
    { heading: 'NAME', value: (row) => row.name, priority: 1 },
    { heading: 'MODEL', value: (row) => row.model, priority: 4 },
    { heading: 'RESULT', value: (row) => (row.ok ? 'ok' : 'failed'), priority: 2 },
    { heading: 'MS', value: (row) => Math.round(row.time * 1000), align: 'right', priority: 3 },
    { heading: 'ERROR', value: (row) => row.message, priority: 5 },
  ],
  fields: ['id', 'name', 'model', 'ok', 'time', 'code', 'message'],
  id: (row) => row.id,
};

export function registerChannelTest(channel: Command, runtime: Runtime): void {
  const say = (pair: { en: string; zh: string }) => pair[runtime.language];
  leaf(
    channel
      .command('test')
      .argument('[channel...]')
      .option('--all', say(both('every channel that is not disabled by hand', '测试所有未手动停用的渠道')))
      .option('--model <model>', say(both('with this model', '指定模型')))
      .option('--stream <mode>', say(both('on, off or auto', '流式：on、off 或 auto')))
      .option('--repeat <n>', say(both('so many times each', '每个渠道的次数')))
      .option('--concurrency <n>', say(both('at once (4)', '并发数（4）'))),
    runtime,
    {
      summary: both('Test channels through the live path', '以真实路径测试渠道'),
      examples: ['channel test 3', 'channel test --all --concurrency 8 -o ndjson'],
      calls: ['channels.test', 'channels.get', 'channels.search', 'channels.list'],
    },
    async (context, [references], flags) => {
      const client = await context.client();
      const names = Array.isArray(references)
        ? references
        : references === undefined || references === ''
          ? []
          : [references];
      if (names.length === 0 && flags.all !== true)
        throw usageError(both('name a channel, or --all', '请指定渠道或使用 --all'));
      const targets: { id: number; name: string; testModel: string }[] = [];
      if (flags.all === true) {
        const rows = walk({
          page: (page, page_size) => client.channels.list({ page, page_size }),
          keyOf: (row) => row.id,
          limit: undefined,
        });
        for await (const row of rows) {
          if (row.status !== 2) targets.push({ id: row.id, name: row.name, testModel: row.test_model ?? '' });
        }
      }
      for (const name of names) {
        const row = await findChannel(context, name);
        targets.push({ id: row.id, name: row.name, testModel: row.test_model ?? '' });
      }
      const model = typeof flags.model === 'string' ? flags.model : undefined;
      const stream = flags.stream === 'on' || flags.stream === 'off' ? flags.stream : 'auto';
      const repeats = Math.max(1, Number(flags.repeat ?? 1) || 1);
      const jobs = targets.flatMap((target) => Array.from({ length: repeats }, () => target));
      const results = await pMap(
        jobs,
        async (target): Promise<TestRow> => {
          const answer = await client.channels.test({ id: target.id, model, stream }).then(
            (ok) => ({ ok: ok.success, time: ok.time, code: ok.code ?? '', message: ok.message }),
            (error: unknown) => ({
              ok: false,
              time: 0,
              code: error instanceof Error && 'code' in error ? String(error.code) : 'failed',
              message: error instanceof Error ? error.message : String(error),
            }),
          );
          return { id: target.id, name: target.name, model: model ?? target.testModel, ...answer };
        },
        { concurrency: Math.min(32, Math.max(1, Number(flags.concurrency ?? 4) || 4)) },
      );
      await context.printer.list(results, testView);
      if (results.some((result) => !result.ok)) process.exitCode = exitCodes.no;
    },
  );
}
