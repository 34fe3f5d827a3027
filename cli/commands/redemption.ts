/** `redemption`: codes, in batches first; a CI job creates them once however often it runs. */
import type { Command } from 'commander';
import { group, leaf, type Runtime } from '../command.ts';
import { confirm, confirmSevere } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { both } from '../language.ts';
import type { View } from '../output/columns.ts';
import { limitOf, walk } from '../paging.ts';
import { forEachItem, resolve } from '../references.ts';
import { maskKey } from '../views.ts';

interface CodeRow {
  id: number;
  name: string;
  key: string;
  status: number;
  quota: number;
  is_gift: boolean;
  max_uses: number;
  used_count: number;
  used_user_id: number;
  created_time: number;
  valid_from: number;
  valid_until: number;
}

interface NewCode {
  key: string;
  name: string;
  quota: number;
  is_gift: boolean;
  max_uses: number;
  valid_from: number;
  valid_until: number;
}

const statuses: Readonly<Record<number, string>> = { 1: 'unused', 2: 'disabled', 3: 'used' };
const statusNumbers: Readonly<Record<string, number>> = { unused: 1, disabled: 2, used: 3 };
/** More than this asks for the count. */
const manyCodes = 1000;
const manyDollars = 1000;

const newCodeView: View<NewCode> = {
  columns: [
    { heading: 'CODE', value: (row) => row.key },
    { heading: 'NAME', value: (row) => row.name },
    { heading: 'QUOTA', value: (row) => row.quota },
    { heading: 'IS_GIFT', value: (row) => row.is_gift },
    { heading: 'MAX_USES', value: (row) => row.max_uses },
    { heading: 'VALID_FROM', value: (row) => row.valid_from },
    { heading: 'VALID_UNTIL', value: (row) => row.valid_until },
  ],
  fields: ['key', 'name', 'quota', 'is_gift', 'max_uses', 'valid_from', 'valid_until'],
  id: (row) => row.key,
};

async function codeView(context: CommandContext, flags: Readonly<Record<string, unknown>>): Promise<View<CodeRow>> {
  const money = await context.moneyText();
  const shown = (key: string) => (flags.reveal === true ? key : maskKey(key));
  return {
    columns: [
      { heading: 'ID', value: (row) => row.id, align: 'right', priority: 1 },
      { heading: 'NAME', value: (row) => row.name, priority: 1 },
      { heading: 'CODE', value: (row) => shown(row.key), priority: 3 },
      { heading: 'STATUS', value: (row) => statuses[row.status] ?? row.status, priority: 2 },
      { heading: 'VALUE', value: (row) => money(row.quota), align: 'right', priority: 2 },
      {
        heading: 'USES',
        value: (row) =>
          row.is_gift ? `${row.used_count}/${row.max_uses === -1 ? '∞' : row.max_uses}` : row.used_count,
        align: 'right',
        priority: 6,
      },
      { heading: 'BY', value: (row) => row.used_user_id || '', align: 'right', priority: 7 },
      { heading: 'CREATED', value: (row) => context.timeText(row.created_time), priority: 5 },
      {
        heading: 'VALID',
        value: (row) => (row.valid_until === 0 ? '' : context.timeText(row.valid_until)),
        priority: 8,
      },
    ],
    id: (row) => row.id,
  };
}

async function find(context: CommandContext, reference: string) {
  const client = await context.client();
  return resolve(reference, {
    word: both('code', '兑换码'),
    notFound: 'redemption_not_found',
    byId: (id) => client.redemptions.get({ id }),
    search: async (keyword) => (await client.redemptions.search({ keyword, page_size: 100 })).items,
    nameOf: (row) => (row.key === reference ? row.key : row.name),
    idOf: (row) => row.id,
  });
}

function words(value: string | string[] | undefined): string[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

async function fields(context: CommandContext, flags: Readonly<Record<string, unknown>>) {
  const uses = text(flags.maxUses);
  const instant = (flag: unknown, name: string) =>
    typeof flag === 'string' ? context.instant(flag, 'future', name) : undefined;
  const [from, until] = await Promise.all([
    instant(flags.validFrom, '--valid-from'),
    instant(flags.validUntil, '--valid-until'),
  ]);
  return {
    ...(text(flags.name) === undefined ? {} : { name: String(flags.name) }),
    ...(text(flags.quota) === undefined ? {} : { quota: await context.money(String(flags.quota), '--quota') }),
    ...(uses === undefined ? {} : { max_uses: uses === 'unlimited' ? -1 : Number(uses) }),
    ...(from === undefined ? {} : { valid_from: from }),
    ...(until === undefined ? {} : { valid_until: until }),
  };
}

/** Large batches ask for the count; scripts say it with `--confirm`. */
async function confirmBatch(context: CommandContext, count: number, quota: number): Promise<void> {
  const { quotaPerUnit } = await context.site();
  const dollars = (count * quota) / quotaPerUnit;
  const question = both(`${count} codes worth $${dollars} in all`, `共 ${count} 个兑换码，合计 $${dollars}`);
  if (count > manyCodes) await confirmSevere(context, question, String(count));
  else if (dollars > manyDollars) {
    if (context.flags.confirm !== String(count)) await confirm(context, question);
  }
}

export function registerRedemptionCommands(program: Command, runtime: Runtime): void {
  const say = (pair: { en: string; zh: string }) => pair[runtime.language];
  const redemption = group(program, runtime, 'redemption', both('Redemption codes', '兑换码'));
  const describe = (command: Command) =>
    command
      .option('--quota <money>', say(both('value of each code, e.g. 2usd', '每个兑换码的额度，例如 2usd')))
      .option('--max-uses <n>', say(both('uses of a gift code, or unlimited', '礼品码可用次数或 unlimited')))
      .option('--valid-from <time>', say(both('not before', '生效时间')))
      .option('--valid-until <time>', say(both('not after', '失效时间')));

  leaf(
    describe(
      redemption
        .command('create')
        .alias('add')
        .requiredOption('--name <name>', say(both('1-20 characters', '名称，1-20 个字符')))
        .option('--count <n>', say(both('how many, up to 10,000 (1)', '数量，最多 10,000（1）')))
        .option('--gift', say(both('usable by several users, once each', '可供多个用户各使用一次')))
        .option('--key <text>', say(both('one code with this text', '自定义兑换码')))
        .option('--confirm <count>', say(both('the count, for large batches', '大批量时确认数量')))
        .option('--idempotency-key <key>', say(both('makes repeating the call safe', '用于安全重试的幂等键'))),
    ),
    runtime,
    {
      summary: both(
        'Create codes, all or none; one code a line on standard output',
        '批量创建兑换码（全部成功或全部不创建），每行一个',
      ),
      examples: ['redemption create --name spring --count 500 --quota 2usd --out codes.csv --yes'],
      calls: ['redemptions.create', 'status.get'],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const { randomUUID } = await import('node:crypto');
      const described = await fields(context, flags);
      if (described.quota === undefined)
        throw usageError(both('--quota is needed', '需要 --quota'), { field: '--quota' });
      const count = flags.count === undefined ? 1 : Number(flags.count);
      if (!Number.isSafeInteger(count) || count < 1)
        throw usageError(both('--count takes a whole number above 0', '--count 须为大于 0 的整数'), {
          field: '--count',
        });
      const custom = text(flags.key);
      await confirmBatch(context, custom === undefined ? count : 1, described.quota);
      const idempotencyKey = flags.idempotencyKey ?? randomUUID();
      const input = {
        ...described,
        count,
        is_gift: flags.gift === true,
        ...(custom === undefined ? {} : { key: await context.secret(custom, '--key') }),
      };
      const codes = await client.redemptions.create(input, { idempotencyKey }).catch((error: unknown) => {
        const retry = both(
          `Run again with --idempotency-key ${idempotencyKey}: no code is made twice.`,
          `可使用 --idempotency-key ${idempotencyKey} 重试，不会重复创建。`,
        );
        context.note(context.say(retry));
        throw error;
      });
      context.done(
        both(`${codes.length} codes named ${input.name ?? ''}`, `${codes.length} 个兑换码，名称 ${input.name ?? ''}`),
      );
      const rows = codes.map((key) => ({
        key,
        name: input.name ?? '',
        quota: input.quota ?? 0,
        is_gift: input.is_gift,
        max_uses: input.is_gift ? (input.max_uses ?? -1) : -1,
        valid_from: input.valid_from ?? 0,
        valid_until: input.valid_until ?? 0,
      }));
      // Codes alone, one a line, whether or not this is a terminal; csv and json carry the rest.
      const { format } = context.printer;
      if (format === 'table' || format === 'tsv')
        await context.printer.text(rows.map((row) => `${row.key}\n`).join(''));
      else await context.printer.list(rows, newCodeView);
    },
  );

  leaf(
    redemption
      .command('list')
      .alias('ls')
      .option('--search <text>', say(both('id, start of the name, or whole code', '编号、名称开头或完整兑换码')))
      .option('--name <name>', say(both('exactly this name', '完整名称')))
      .option('--status <status>', say(both('unused, disabled or used', '状态：unused、disabled 或 used')))
      .option('--gift', say(both('gift codes alone', '仅礼品码')))
      .option('--reveal', say(both('show whole codes', '显示完整兑换码')))
      .option('--limit <n>', say(both('rows at most (30)', '最多行数（30）')))
      .option('--all', say(both('every row', '全部'))),
    runtime,
    {
      summary: both('List codes', '列出兑换码'),
      examples: ['redemption list --name spring --status unused'],
      calls: ['redemptions.list', 'redemptions.search'],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const status = text(flags.status);
      if (status !== undefined && statusNumbers[status] === undefined)
        throw usageError(both(`no status ${status}`, `没有状态 ${status}`), { field: '--status' });
      const keyword = text(flags.search) ?? text(flags.name);
      const rows = walk<CodeRow>({
        page: (page, page_size) =>
          keyword === undefined
            ? client.redemptions.list({ page, page_size })
            : client.redemptions.search({ keyword, page, page_size }),
        keyOf: (row) => row.id,
        limit: limitOf(flags),
        onCut: (shown, total) =>
          context.note(
            context.say(
              both(`Showing ${shown} of ${total}; --all for the rest`, `显示 ${shown}/${total}；--all 显示全部`),
            ),
          ),
      });
      async function* wanted() {
        for await (const row of rows) {
          if (status !== undefined && row.status !== statusNumbers[status]) continue;
          if (flags.name !== undefined && row.name !== flags.name) continue;
          if (flags.gift === true && !row.is_gift) continue;
          yield flags.reveal === true ? row : { ...row, key: maskKey(row.key) };
        }
      }
      await context.printer.list(wanted(), await codeView(context, { reveal: true }));
    },
  );

  leaf(
    redemption
      .command('get')
      .alias('show')
      .argument('<code>')
      .option('--reveal', say(both('show the whole code', '显示完整兑换码'))),
    runtime,
    {
      summary: both('Show one code', '查看兑换码'),
      examples: ['redemption get 12'],
      calls: ['redemptions.get', 'redemptions.search'],
    },
    async (context, [reference], flags) => {
      const row = await find(context, String(reference));
      await context.printer.one(
        flags.reveal === true ? row : { ...row, key: maskKey(row.key) },
        await codeView(context, { reveal: true }),
      );
    },
  );

  leaf(
    redemption
      .command('export')
      .option('--search <text>', say(both('id, start of the name, or whole code', '编号、名称开头或完整兑换码')))
      .option('--name <name>', say(both('exactly this name', '完整名称')))
      .option('--status <status>', say(both('unused, disabled or used', '状态：unused、disabled 或 used')))
      .option('--format <format>', say(both('text, csv, json or ndjson', '格式：text、csv、json 或 ndjson'))),
    runtime,
    {
      summary: both('Export whole codes, streamed', '导出完整兑换码'),
      examples: ['redemption export --name spring --format csv --out spring.csv'],
      calls: ['redemptions.export'],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const formats = ['text', 'csv', 'json', 'ndjson'] as const;
      const ending = formats.find((format) => format === (text(flags.format) ?? text(flags.out)?.split('.').at(-1)));
      const answer = await client.redemptions.export({
        keyword: text(flags.search),
        name: text(flags.name),
        status: statusNumbers[text(flags.status) ?? ''],
        format: ending ?? 'text',
      });
      await context.printer.text(await answer.text());
    },
  );

  leaf(
    describe(
      redemption
        .command('edit')
        .argument('<code>')
        .option('--name <name>', say(both('new name', '新名称'))),
    ),
    runtime,
    {
      summary: both('Change an unused code', '修改未使用的兑换码'),
      examples: ['redemption edit 12 --valid-until 2027-01-01'],
      calls: ['redemptions.update', 'redemptions.get', 'redemptions.search'],
    },
    async (context, [reference], flags) => {
      const client = await context.client();
      const row = await find(context, String(reference));
      const updated = await client.redemptions.update({ id: row.id, ...(await fields(context, flags)) });
      context.done(both(`code ${updated.id} is changed`, `已修改兑换码 ${updated.id}`));
      await context.printer.one({ ...updated, key: maskKey(updated.key) }, await codeView(context, { reveal: true }));
    },
  );

  const switches = [
    { verb: 'enable', status: 1, summary: both('Make disabled codes usable again', '启用兑换码') },
    { verb: 'disable', status: 2, summary: both('Make unused codes unusable', '停用兑换码') },
  ] as const;
  for (const { verb, status, summary } of switches) {
    leaf(
      redemption.command(verb).argument('<code...>'),
      runtime,
      {
        summary,
        examples: [`redemption ${verb} 12 13`],
        calls: ['redemptions.update', 'redemptions.get', 'redemptions.search'],
      },
      async (context, [references]) => {
        const client = await context.client();
        await forEachItem(words(references), async (reference) => {
          const row = await find(context, reference);
          await client.redemptions.update({ id: row.id, status, status_only: 'true' });
          context.done(both(`code ${row.id}: ${verb}d`, `兑换码 ${row.id}：已${status === 1 ? '启用' : '停用'}`));
        });
      },
    );
  }

  leaf(
    redemption.command('delete').alias('rm').argument('<code...>'),
    runtime,
    {
      summary: both('Delete codes', '删除兑换码'),
      examples: ['redemption delete 12 13 --yes'],
      calls: ['redemptions.delete', 'redemptions.get', 'redemptions.search'],
    },
    async (context, [references]) => {
      const client = await context.client();
      const names = words(references);
      await confirm(context, both(`Delete ${names.length} codes?`, `删除 ${names.length} 个兑换码？`));
      await forEachItem(names, async (reference) => {
        const row = await find(context, reference);
        await client.redemptions.delete({ id: row.id });
        context.done(both(`code ${row.id} is deleted`, `已删除兑换码 ${row.id}`));
      });
    },
  );

  leaf(
    redemption.command('count').requiredOption('--name <name>', say(both('exactly this name', '完整名称'))),
    runtime,
    {
      summary: both('Count codes of a name', '按名称统计兑换码'),
      examples: ['redemption count --name spring'],
      calls: ['redemptions.countByName'],
    },
    async (context, _args, flags) => {
      const count = await (await context.client()).redemptions.countByName({ name: String(flags.name) });
      await context.printer.one(
        { count },
        { columns: [{ heading: 'COUNT', value: (row) => row.count }], id: (row) => row.count },
      );
    },
  );

  leaf(
    redemption
      .command('delete-by-name')
      .argument('<name>')
      .option('--confirm <name>', say(both('the name again', '再次输入名称'))),
    runtime,
    {
      summary: both('Delete every code of a name', '删除指定名称的全部兑换码'),
      examples: ['redemption delete-by-name spring --confirm spring'],
      calls: ['redemptions.countByName', 'redemptions.deleteByName'],
    },
    async (context, [name]) => {
      const client = await context.client();
      const count = await client.redemptions.countByName({ name: String(name) });
      await confirmSevere(
        context,
        both(`Delete ${count} codes named ${name}`, `删除名称为 ${name} 的 ${count} 个兑换码`),
        String(name),
      );
      const deleted = await client.redemptions.deleteByName({ name: String(name) });
      context.done(both(`${deleted} codes are deleted`, `已删除 ${deleted} 个兑换码`));
    },
  );

  leaf(
    redemption.command('delete-disabled').option('--confirm <word>', say(both('the word disabled', '输入 disabled'))),
    runtime,
    {
      summary: both('Delete every disabled code', '删除全部已停用的兑换码'),
      examples: ['redemption delete-disabled --confirm disabled'],
      calls: ['redemptions.deleteDisabled'],
    },
    async (context) => {
      await confirmSevere(context, both('Delete every disabled code', '删除全部已停用的兑换码'), 'disabled');
      const deleted = await (await context.client()).redemptions.deleteDisabled();
      context.done(both(`${deleted} codes are deleted`, `已删除 ${deleted} 个兑换码`));
    },
  );
}
