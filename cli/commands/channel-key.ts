/** `channel key`: the keys of one channel, each with its own state; the keys themselves only with `--reveal`. */
import type { Command } from 'commander';
import type { ChannelKeyView } from '../../daemon/contract/channel-keys.ts';
import type { Client } from '../../daemon/contract/client.ts';
import { group, leaf, type Runtime } from '../command.ts';
import { confirm } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { wordFlag } from '../flags.ts';
import { printEachItem, sideBySide } from '../items.ts';
import { both, type Say, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { isFormAsked, plainKeyView, printKey } from '../plain-key.ts';
import { referencesOf } from '../references.ts';
import { channelStatus } from '../views.ts';
import { findCalls, findChannel } from './channel-reference.ts';
import { canaryText, endpoints, endpointText, endTests, streams, testedAs, testWish } from './channel-test.ts';

function keyView(context: CommandContext): View<ChannelKeyView> {
  const now = Math.floor(Date.now() / 1000);
  const left = (row: ChannelKeyView) => Math.max(0, row.cool_until - now);
  return {
    columns: [
      { heading: '#', value: (row) => row.position + 1, align: 'right', priority: 1 },
      { heading: 'KEY', value: (row) => row.key_hash, priority: 3 },
      { heading: 'TAIL', value: (row) => row.tail, priority: 1 },
      {
        heading: 'STATUS',
        unit: 'word',
        value: (row) => channelStatus({ status: row.status, cooling: left(row) }),
        priority: 1,
      },
      {
        heading: 'COOLING',
        unit: 'word',
        value: (row) => (left(row) === 0 ? '' : `${left(row)} s`),
        align: 'right',
        priority: 4,
      },
      { heading: 'LAST_USED', unit: 'time', value: (row) => context.agoText(row.last_used), priority: 5 },
      { heading: 'CAP', value: (row) => row.cap || '', align: 'right', priority: 6 },
      { heading: 'TPM', value: (row) => row.tpm || '', align: 'right', priority: 8 },
      { heading: 'AT ONCE', value: (row) => row.concurrency || '', align: 'right', priority: 8 },
      { heading: 'ERROR', value: (row) => row.reason || row.last_error, priority: 7 },
    ],
    id: (row) => row.key_hash,
  };
}

interface KeyTestRow {
  key_hash: string;
  tail: string;
  ok: boolean;
  /** Seconds. */
  time: number;
  code: string;
  message: string;
}

const keyTestView: View<KeyTestRow> = {
  columns: [
    { heading: 'KEY', value: (row) => row.key_hash, priority: 2 },
    { heading: 'TAIL', value: (row) => row.tail, priority: 1 },
    { heading: 'RESULT', unit: 'word', value: (row) => (row.ok ? 'ok' : 'failed'), priority: 1 },
    { heading: 'MS', value: (row) => Math.round(row.time * 1000), align: 'right', priority: 3 },
    { heading: 'ERROR', value: (row) => row.message, priority: 4 },
  ],
  fields: ['key_hash', 'tail', 'ok', 'time', 'code', 'message'],
  id: (row) => row.key_hash,
};

/** The key that a word names: by hash or its beginning, by tail, or by place as `#2`. Throws exit 6 and 3. */
function chosenOne(keys: readonly ChannelKeyView[], name: string): ChannelKeyView {
  const place = /^#([1-9]\d*)$/.exec(name)?.[1];
  const found = keys.filter((key) =>
    place === undefined
      ? key.key_hash === name || key.tail === name || (name.length >= 6 && key.key_hash.startsWith(name))
      : key.position + 1 === Number(place),
  );
  const [key, another] = found;
  if (key === undefined) {
    const text = both(`the channel has no key ${name}`, `该渠道没有密钥 ${name}`);
    throw new CliError('channel_key_not_found', exitCodes.notFound, text);
  }
  if (another !== undefined)
    throw usageError(both(`${name} names several keys`, `${name} 对应多个密钥`), {
      hint: both('use the hash', '请使用哈希'),
    });
  return key;
}

/** All that the words name. Throws exit 6 and 3. */
function chosen(keys: readonly ChannelKeyView[], names: readonly string[]): ChannelKeyView[] {
  return names.map((name) => chosenOne(keys, name));
}

interface Named {
  readonly id: number;
  readonly name: string;
  readonly keys: ChannelKeyView[];
}

/** The channel that the first argument names, with its keys. */
async function keysOf(context: CommandContext, reference: string): Promise<Named> {
  const { id, name } = await findChannel(context, reference);
  return { id, name, keys: await (await context.client()).channels.keys({ id }) };
}

const reads = ['channels.keys', ...findCalls];

type KeyChange = Omit<Parameters<Client['channels']['setKey']>[0], 'id' | 'key_hash'>;

/** Changes keys of a channel, each on its own, and prints them. */
async function setKeys(
  context: CommandContext,
  wish: { reference: string; names: string | string[] | undefined; change: KeyChange; atOnce?: number },
): Promise<void> {
  const { id, keys } = await keysOf(context, wish.reference);
  const client = await context.client();
  const references = await referencesOf(context, wish.names);
  const { change, atOnce } = wish;
  await printEachItem(context, { references, view: keyView(context), ...(atOnce && { atOnce }) }, (name) => {
    const { key_hash } = chosenOne(keys, name);
    return client.channels.setKey({ ...change, id, key_hash });
  });
}

/** The limits that were given; one at least. */
function limitsOf(flags: Readonly<Record<string, unknown>>): { cap?: number; tpm?: number; concurrency?: number } {
  const given = (['cap', 'tpm', 'concurrency'] as const).filter((name) => flags[name] !== undefined);
  if (given.length === 0) {
    throw usageError(both('give --cap, --tpm or --concurrency', '须指定 --cap、--tpm 或 --concurrency'));
  }
  for (const name of given) {
    const text = String(flags[name]);
    if (/^\d{1,10}$/.test(text)) continue;
    throw usageError(both(`--${name} takes a whole number`, `--${name} 须为整数`), { field: `--${name}` });
  }
  return Object.fromEntries(given.map((name) => [name, Number(flags[name])]));
}

export function registerChannelKeys(channel: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const key = group(channel, runtime, 'key', both('Keys of a channel', '渠道密钥'));

  leaf(
    key.command('list').alias('ls').argument('<channel>'),
    runtime,
    {
      summary: both('List the keys of a channel', '列出渠道密钥'),
      examples: ['channel key list 4'],
      prints: keyView,
      rows: 'channels.keys',
      orders: [],
      calls: reads,
    },
    async (context, [reference]) =>
      context.printer.list((await keysOf(context, String(reference))).keys, keyView(context)),
  );

  leaf(
    key
      .command('add')
      .argument('<channel>')
      .requiredOption(
        '--key <secret>',
        say(both('env:NAME, @file or -; one a line', 'env:NAME、@文件 或 -；每行一个')),
      ),
    runtime,
    {
      summary: both('Add keys; known ones stay as they are', '追加密钥，已有的保持不变'),
      examples: ['channel key add 4 --key @keys.txt'],
      prints: keyView,
      rows: 'channels.keys',
      calls: ['channels.addKeys', ...findCalls],
    },
    async (context, [reference], flags) => {
      const { id, name } = await findChannel(context, String(reference));
      const text = await context.secret(String(flags.key), '--key');
      const { added, known, keys } = await (await context.client()).channels.addKeys({ id, key: text });
      context.done(
        both(
          'channel {name}: {added} {added:key|keys} added, {known} {known:was|were} there',
          '渠道 {name}：新增 {added} 个密钥，已有 {known} 个',
          { name, added, known },
        ),
      );
      await context.printer.list(added === 0 ? [] : keys.slice(-added), keyView(context));
    },
  );

  leaf(
    key
      .command('remove')
      .alias('rm')
      .argument('<channel>')
      .argument('[key...]')
      .option('--dead', say(both('all that were disabled automatically', '所有被自动禁用的密钥'))),
    runtime,
    {
      summary: both('Remove keys; a channel keeps at least one', '移除密钥，渠道至少保留一个'),
      examples: ['channel key remove 4 --dead --yes'],
      prints: 'nothing',
      calls: ['channels.removeKeys', ...reads],
      together: true,
    },
    async (context, [reference, names], flags) => {
      const { id, name, keys } = await keysOf(context, String(reference));
      const named = chosen(keys, await referencesOf(context, names));
      const dead = flags.dead === true ? keys.filter(({ status }) => status === 3) : [];
      const key_hashes = [...new Set([...named, ...dead].map(({ key_hash }) => key_hash))];
      if (key_hashes.length === 0) {
        context.note(context.say(both('no key is meant', '没有要移除的密钥')));
        return;
      }
      const many = key_hashes.length;
      await confirm(
        context,
        both('Remove {many} {many:key|keys} of {name}?', '移除渠道 {name} 的 {many} 个密钥？', { many, name }),
      );
      const count = await (await context.client()).channels.removeKeys({ id, key_hashes });
      context.done(
        both('channel {name}: {count} {count:key|keys} removed', '渠道 {name}：已移除 {count} 个密钥', { name, count }),
      );
    },
  );

  const switches = [
    { verb: 'enable', status: 1, summary: both('Take keys into use', '启用密钥') },
    { verb: 'disable', status: 2, summary: both('Take keys out of use', '禁用密钥') },
  ] as const;
  for (const { verb, status, summary } of switches) {
    leaf(
      key.command(verb).argument('<channel>').argument('<key...>'),
      runtime,
      {
        summary,
        examples: [`channel key ${verb} 4 AbCd`],
        prints: keyView,
        rows: 'channels.keys',
        calls: ['channels.setKey', ...reads],
      },
      async (context, [reference, names]) => {
        await setKeys(context, { reference: String(reference), names, change: { status } });
      },
    );
  }

  leaf(
    key
      .command('edit')
      .argument('<channel>')
      .argument('<key...>')
      .option('--cap <n>', say(both('requests a minute; 0 for no cap', '每分钟请求数；0 为不限')))
      .option('--tpm <n>', say(both('tokens a minute; 0 for no limit', '每分钟 token 数；0 为不限')))
      .option('--concurrency <n>', say(both('calls at once; 0 for no limit', '并发请求数；0 为不限'))),
    runtime,
    {
      summary: both(
        'Limit keys: requests and tokens a minute, calls at once',
        '设置密钥限流：每分钟请求数、token 数与并发数',
      ),
      examples: ['channel key edit 4 AbCd --cap 60'],
      prints: keyView,
      rows: 'channels.keys',
      calls: ['channels.setKey', ...reads],
      together: true,
    },
    async (context, [reference, names], flags) => {
      const limits = limitsOf(flags);
      await setKeys(context, { reference: String(reference), names, change: limits, atOnce: 1 });
    },
  );

  leaf(
    key
      .command('test')
      .argument('<channel>')
      .argument('[key...]')
      .option('--model <model>', say(both('with this model', '指定模型')))
      .addOption(wordFlag('--stream <mode>', say(both('whether to stream (auto)', '是否流式（auto）')), streams))
      .addOption(wordFlag('--endpoint <kind>', say(endpointText), endpoints))
      .option('--canary', say(canaryText)),
    runtime,
    {
      summary: both('Test keys, all unless some are named', '测试密钥，未指定则测试全部'),
      examples: ['channel key test 4'],
      prints: () => keyTestView,
      calls: ['channels.testKey', ...reads],
      exits: [exitCodes.no],
    },
    async (context, [reference, names], flags) => {
      const wish = testWish(flags);
      const { id, keys } = await keysOf(context, String(reference));
      const words = await referencesOf(context, names);
      const client = await context.client();
      let failed = 0;
      const refusals: unknown[] = [];
      const testRow = async ({ key_hash, tail }: ChannelKeyView): Promise<KeyTestRow> => {
        const { refusal, ...result } = await testedAs(client.channels.testKey({ ...wish, id, key_hash }));
        if (refusal !== undefined) refusals.push(refusal);
        else if (!result.ok) failed += 1;
        return { key_hash, tail, ...result };
      };
      const tested = words.length === 0 ? keys : chosen(keys, words);
      const results = sideBySide(context, tested, { work: testRow, hasFailed: ({ ok }) => !ok });
      await context.printer.list(results, keyTestView);
      context.signal.throwIfAborted();
      await endTests(context, { asked: tested.length, failed, refusals });
    },
  );

  registerReveals(key, runtime, say);
}

function registerReveals(key: Command, runtime: Runtime, say: Say): void {
  const revealText = say(both('yes, show secrets; this is audited', '确认显示密钥（会写入审计）'));
  const demandReveal = (flags: Readonly<Record<string, unknown>>) => {
    if (flags.reveal === true) return;
    throw usageError(both('secrets are shown with --reveal alone', '显示密钥须使用 --reveal'), { field: '--reveal' });
  };

  leaf(
    key.command('reveal').argument('<channel>').argument('[key]').option('--reveal', revealText),
    runtime,
    {
      summary: both('Show the keys of a channel, or one of them', '显示渠道密钥'),
      examples: ['channel key reveal 4 --reveal'],
      prints: () => plainKeyView,
      calls: ['channels.revealKey', ...reads],
    },
    async (context, [reference, name], flags) => {
      demandReveal(flags);
      const { id, keys } = await keysOf(context, String(reference));
      const [one] = name ? chosen(keys, [String(name)]) : [];
      const { key: text } = await (await context.client()).channels.revealKey({ id, key_hash: one?.key_hash });
      await printKey(context, text);
    },
  );

  leaf(
    key.command('export').argument('<channel>').option('--reveal', revealText),
    runtime,
    {
      summary: both('Export the keys of a channel, one a line', '导出渠道密钥，每行一个'),
      examples: ['channel key export 4 --reveal --out keys.txt'],
      prints: () => plainKeyView,
      calls: ['channels.revealKey', ...findCalls],
    },
    async (context, [reference], flags) => {
      demandReveal(flags);
      const { id, type } = await findChannel(context, String(reference));
      const { findChannelType } = await import('../../daemon/contract/channel-types.ts');
      const { key: text } = await (await context.client()).channels.revealKey({ id });
      const isJson = findChannelType(type)?.keyForm === 'json';
      const lines = isJson ? [text] : text.split(',');
      if (isFormAsked(context))
        await context.printer.list(
          lines.map((line) => ({ key: line })),
          plainKeyView,
        );
      else await context.printer.text(`${lines.join('\n')}\n`);
    },
  );
}
