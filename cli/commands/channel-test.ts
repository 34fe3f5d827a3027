/**
 * `channel test`: calls upstreams the way live traffic does; exit 2 when one of them failed. What no test suits (models
 * that draw or speak, say) may work all the same: it is shown, and neither disabled nor, among others, a failure.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { testEndpoints } from '../../daemon/contract/channel-checks.ts';
import type { ChannelView } from '../../daemon/contract/channels.ts';
import { type Flags, leaf, type Runtime } from '../command.ts';
import { confirm } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { NotSent } from '../dry-run.ts';
import { chosenBy } from '../empty-words.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { noteFailure } from '../failure-note.ts';
import { expectAmong, textOf, wordFlag, wordsOf } from '../flags.ts';
import { parseDuration } from '../input/time.ts';
import { refuseGeneralFailure, sideBySide } from '../items.ts';
import { type Bilingual, both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { referencesOf } from '../references.ts';
import { channelStatus } from '../views.ts';
import { allChannels, channelStates, findCalls, findChannel } from './channel-reference.ts';

export interface TestRow {
  id: number;
  name: string;
  model: string;
  ok: boolean;
  /** Seconds. */
  time: number;
  tokens: number;
  code: string;
  message: string;
}

const testView: View<TestRow> = {
  columns: [
    { heading: 'ID', value: (row) => row.id, align: 'right', priority: 1 },
    { heading: 'NAME', value: (row) => row.name, priority: 1 },
    { heading: 'MODEL', value: (row) => row.model, priority: 4 },
    { heading: 'RESULT', unit: 'word', value: resultOf, priority: 2 },
    { heading: 'MS', value: (row) => Math.round(row.time * 1000), align: 'right', priority: 3 },
    { heading: 'TOKENS', value: (row) => row.tokens, align: 'right', priority: 6 },
    { heading: 'ERROR', value: (row) => row.message, priority: 5 },
  ],
  fields: ['id', 'name', 'model', 'ok', 'time', 'tokens', 'code', 'message'],
  id: (row) => row.id,
};

function resultOf(row: TestRow): string {
  if (row.ok) return 'ok';
  return isUntestable(row) ? 'untested' : 'failed';
}

/** No test suits it: whether it works is not known. */
export function isUntestable({ code }: Pick<TestRow, 'code'>): boolean {
  return code === 'channel_test_unsupported';
}

/** Every repetition is a paid call, and all of them are kept until their times are told. */
const mostRepeats = 1000;

export const streams = ['on', 'off', 'auto'] as const;

/** What `--endpoint` takes, written out for help, which loads no schemas. */
export const endpoints = [
  'auto',
  'chat',
  'responses',
  'messages',
  'gemini',
  'embeddings',
  'rerank',
] as const satisfies typeof testEndpoints;

export const endpointText = both('wire format to ask in (auto)', '使用的接口格式（auto）');

export const canaryText = both(
  'ask for a known tool call; fail where it comes back changed',
  '要求一次内容已知的工具调用，返回内容被更改即判为失败',
);

/** How a test asks, by `--model`, `--stream`, `--endpoint` and `--canary`. Throws exit 3. */
export function testWish(flags: Flags) {
  const stream = streams.find((known) => known === (flags.stream ?? 'auto'));
  if (stream === undefined)
    throw usageError(both('--stream takes on, off or auto', '--stream 可为 on、off 或 auto'), { field: '--stream' });
  const endpoint = endpoints.find((known) => known === (flags.endpoint ?? 'auto'));
  if (endpoint === undefined) {
    const list = endpoints.join(', ');
    throw usageError(both(`--endpoint takes ${list}`, `--endpoint 可为 ${list}`), { field: '--endpoint' });
  }
  return { model: textOf(flags.model), stream, endpoint, ...(flags.canary === true ? { canary: true } : {}) };
}

/** What came of asking for a test; `refusal` is why none was made. */
type Tested = Pick<TestRow, 'ok' | 'time' | 'tokens' | 'code' | 'message'> & { readonly refusal?: unknown };

/** The answer of a test, or what kept it from being made. */
export async function testedAs(
  test: Promise<{ success: boolean; time: number; tokens: number; code?: string | undefined; message: string }>,
): Promise<Tested> {
  return test.then(
    ({ success, time, tokens, code, message }) => ({ ok: success, time, tokens, code: code ?? '', message }),
    (error: unknown) => {
      if (error instanceof NotSent) throw error;
      return {
        refusal: error,
        ok: false,
        time: 0,
        tokens: 0,
        code: error instanceof Error && 'code' in error ? String(error.code) : 'failed',
        message: error instanceof Error ? error.message : String(error),
      };
    },
  );
}

/**
 * Ends with 2 where a test failed. A call that was refused is no test: by itself it ends as it was refused, beside tests
 * that were made with 11.
 */
export async function endTests(
  context: CommandContext,
  { asked, failed, refusals }: { asked: number; failed: number; refusals: readonly unknown[] },
): Promise<void> {
  if (failed > 0) return context.endWith(exitCodes.no);
  const [first] = refusals;
  if (first === undefined) return;
  if (asked === 1) throw first;
  if (refusals.length === asked) await refuseGeneralFailure(context, refusals);
  const many = refusals.length;
  const text = both(`${many} of ${asked} tests could not be made`, `${asked} 项测试中有 ${many} 项未能进行`);
  throw new CliError('partial', exitCodes.partial, text);
}

function leftOutText(count: number): Bilingual {
  return both(
    '{count} {count:disabled channel is|disabled channels are} left out; --status disabled tests those',
    '未测试 {count} 个已禁用的渠道；--status disabled 可测试它们',
    { count },
  );
}

/** The channels that arguments and flags name, each once. */
async function targetsOf(context: CommandContext, names: readonly string[], flags: Flags): Promise<ChannelView[]> {
  const targets = new Map<number, ChannelView>();
  const status = textOf(flags.status);
  expectAmong(status, channelStates, '--status');
  const tag = chosenBy(flags.tag, '--tag');
  let leftOut = 0;
  if (flags.all === true || status !== undefined || tag !== undefined) {
    for await (const row of allChannels(context, { tag })) {
      if (status === undefined ? row.status !== 2 : channelStatus(row) === status) targets.set(row.id, row);
      else if (status === undefined) leftOut += 1;
    }
    if (leftOut > 0) context.note(context.say(leftOutText(leftOut)));
  } else if (names.length === 0) {
    throw usageError(both('name a channel, or --all', '请指定渠道或使用 --all'));
  }
  for (const name of names) {
    const row = await findChannel(context, name);
    targets.set(row.id, row);
  }
  return [...targets.values()];
}

interface TestJob {
  readonly channel: ChannelView;
  readonly model: string | undefined;
}

/** One job for every channel, model and repetition. */
function jobsOf(channels: readonly ChannelView[], flags: Flags): TestJob[] {
  const repeats = Number(flags.repeat ?? 1);
  if (!Number.isSafeInteger(repeats) || repeats < 1 || repeats > mostRepeats)
    throw usageError(
      both(`--repeat takes a whole number from 1 to ${mostRepeats}`, `--repeat 须为 1 到 ${mostRepeats} 的整数`),
      { field: '--repeat' },
    );
  return channels.flatMap((channel) => {
    const models = flags.model === 'each' ? channel.models.split(',') : [textOf(flags.model)];
    return models.flatMap((model) => Array.from({ length: repeats }, () => ({ channel, model })));
  });
}

/** Half and nearly all of the successful tests of each channel took no longer than this. */
function noteTimes(context: CommandContext, rows: readonly TestRow[]): void {
  for (const { id, name } of new Map(rows.map((row) => [row.id, row])).values()) {
    const own = rows.filter((row) => row.id === id);
    const times = own.filter(({ ok }) => ok).map(({ time }) => Math.round(time * 1000));
    times.sort((a, b) => a - b);
    const at = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? '-';
    context.note(`${name}: ${times.length}/${own.length} ok, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`);
  }
}

/**
 * A channel that cannot be disabled keeps no other from being: it is told, and ends the command with 11 after all.
 * @param rows tests that failed
 */
async function disableFailing(context: CommandContext, rows: readonly TestRow[]): Promise<void> {
  const failing = new Map(rows.map(({ id, name }) => [id, name]));
  if (failing.size === 0) return;
  const names = [...failing.values()];
  await confirm(context, both(`Disable ${names.join(', ')}?`, `禁用 ${names.join('、')}？`));
  const client = await context.client();
  const left: string[] = [];
  const refusals: unknown[] = [];
  for (const [id, name] of failing) {
    try {
      await client.channels.setStatus({ id, status: 2 });
      context.done(both(`channel ${name}: disabled`, `渠道 ${name}：已禁用`));
    } catch (error) {
      if (context.signal.aborted) throw error;
      left.push(name);
      refusals.push(error);
      await noteFailure(context, error);
    }
  }
  if (left.length === 0) return;
  if (left.length === failing.size) await refuseGeneralFailure(context, refusals);
  const list = left.join(', ');
  throw new CliError('partial', exitCodes.partial, both(`not disabled: ${list}`, `未能禁用：${list}`));
}

/** Resolves when the daemon's run has ended. Throws exit 8 when that takes too long. */
async function runEnd(context: CommandContext, timeout: string): Promise<void> {
  const client = await context.client();
  const deadline = Date.now() + parseDuration(timeout, '--timeout') * 1000;
  const waited = await context.startWaiting();
  for (let pauseMs = 1000; (await client.channels.testRun()).running; pauseMs = Math.min(5000, pauseMs * 1.5)) {
    if (Date.now() + pauseMs > deadline) {
      const text = both(`the run goes on after ${timeout}`, `${timeout} 后测试仍在进行`);
      throw new CliError('timeout', exitCodes.waitedTooLong, text);
    }
    await sleep(pauseMs, undefined, { signal: context.signal });
  }
  waited();
  context.done(both('the run has ended', '测试已结束'));
}

/** Throws exit 3 for what the daemon's own run, which asks every channel in its own way, would pass over. */
function refuseOwnWishes(references: string | string[] | undefined, flags: Flags): void {
  const wishes = ['status', 'tag', 'model', 'stream', 'endpoint', 'canary', 'repeat', 'disableFailing'] as const;
  const wish = wishes.find((name) => flags[name] !== undefined);
  if (wish === undefined && wordsOf(references).length === 0) return;
  const text = both('the run of the daemon asks every channel in its own way', '服务端的测试以固定方式测试所有渠道');
  const hint = both('leave out --server', '请去掉 --server');
  throw usageError(text, {
    field: wish === undefined ? 'CHANNEL' : wish === 'disableFailing' ? '--disable-failing' : `--${wish}`,
    hint,
  });
}

export function registerChannelTest(channel: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    channel
      .command('test')
      .argument('[channel...]')
      .option('--all', say(both('every channel that is not disabled by hand', '测试所有未手动禁用的渠道')))
      .addOption(
        wordFlag('--status <status>', say(both('every channel in this state', '测试该状态的所有渠道')), channelStates),
      )
      .option('--tag <tag>', say(both('every channel with this tag', '测试该标签的所有渠道')))
      .option('--model <model>', say(both('with this model; each for all of a channel', '指定模型；each 为逐个测试')))
      .addOption(wordFlag('--stream <mode>', say(both('whether to stream (auto)', '是否流式（auto）')), streams))
      .addOption(wordFlag('--endpoint <kind>', say(endpointText), endpoints))
      .option('--canary', say(canaryText))
      .option('--repeat <n>', say(both('so many times each', '每个渠道的次数')))
      .option('--server', say(both("start the daemon's own run", '由服务端在后台测试全部')))
      .option('--wait', say(both('with --server: until the run has ended', '配合 --server：等待测试结束')))
      .option('--timeout <duration>', say(both('how long to wait (10m)', '等待时长（10m）')))
      .option('--disable-failing', say(both('disable what failed', '禁用失败的渠道'))),
    runtime,
    {
      summary: both('Test channels through the live path', '以真实路径测试渠道'),
      examples: [
        'channel test 3',
        'channel test --all --concurrency 8 -o ndjson',
        'channel test 3 --model each',
        'channel test 3 --canary --stream on',
      ],
      prints: () => testView,
      calls: ['channels.test', 'channels.testAll', 'channels.testRun', 'channels.setStatus', ...findCalls],
      exits: [exitCodes.no],
    },
    async (context, [references], flags) => {
      const client = await context.client();
      if (flags.server === true) {
        refuseOwnWishes(references, flags);
        await client.channels.testAll();
        context.done(both('the daemon tests all channels', '服务端已开始测试所有渠道'));
        if (flags.wait === true) await runEnd(context, textOf(flags.timeout) ?? '10m');
        return;
      }
      const wish = testWish(flags);
      const names = await referencesOf(context, references);
      if (names.length === 0 && wordsOf(references).length > 0) return;
      const jobs = jobsOf(await targetsOf(context, names, flags), flags);
      const rows: TestRow[] = [];
      const failed: TestRow[] = [];
      const refusals: unknown[] = [];
      // Who names one channel asks whether it answers, and is told that this cannot be found out.
      const isBroken = (row: TestRow) => !row.ok && (jobs.length === 1 || !isUntestable(row));
      const testRow = async ({ channel: { id, name, test_model, models }, model }: TestJob): Promise<TestRow> => {
        const shown = model ?? (test_model || models.split(',')[0] || '');
        const { refusal, ...result } = await testedAs(client.channels.test({ ...wish, id, model }));
        const row = { id, name, model: shown, ...result };
        rows.push(row);
        if (refusal !== undefined) refusals.push(refusal);
        else if (isBroken(row)) failed.push(row);
        return row;
      };
      await context.printer.list(sideBySide(context, jobs, { work: testRow, hasFailed: isBroken }), testView);
      context.signal.throwIfAborted();
      if (flags.repeat !== undefined) noteTimes(context, rows);
      if (flags.disableFailing === true)
        await disableFailing(
          context,
          failed.filter((row) => !isUntestable(row)),
        );
      await endTests(context, { asked: rows.length, failed: failed.length, refusals });
    },
  );
}
