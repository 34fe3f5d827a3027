/** `token`: the caller's own relay keys. */
import { type Command, Option } from 'commander';
import { budgetColumn, budgetsOf, type WithBudgets, withBudgets } from '../budgets.ts';
import { group, leaf, type Runtime } from '../command.ts';
import { confirm } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { collect, expectChange, textOf } from '../flags.ts';
import { forEachItem, printEachItem } from '../items.ts';
import { both, type Say, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { findToken, searchTokens, tokenCalls } from '../own-tokens.ts';
import { cut, cutNote, limitOf, told, walk, withLimit } from '../paging.ts';
import { plainKeyView, printKey } from '../plain-key.ts';
import { referencesOf } from '../references.ts';
import { rowFields } from '../row-fields.ts';
import { unsetFields, unsetText } from '../unset.ts';
import { maskKey, type TokenRow, tokenStatuses, tokenView } from '../views.ts';
import { budgetsGiven } from './budget-fields.ts';
import { registerTokenCheck } from './token-check.ts';
import { blankTokenFields, tokenFields } from './token-fields.ts';

/** A key with its budgets. */
function budgetedView(context: CommandContext): View<WithBudgets<TokenRow>> {
  const view = tokenView(context);
  return {
    ...view,
    columns: [...view.columns, budgetColumn(context)],
    fields: [...rowFields('tokens.get'), 'budgets'],
  };
}

const subjectOf = ({ id }: TokenRow) => `token:${id}`;

/** Keys are masked everywhere but at the moment of creation and when asked for. */
function masked<T extends TokenRow>(row: T, flags: Readonly<Record<string, unknown>>): T {
  return flags.reveal === true ? row : { ...row, key: maskKey(row.key) };
}

/** @param work an edit leaves what is not given as it is; a new key gets what stands in brackets */
function withFields(command: Command, say: Say, work: 'create' | 'edit'): Command {
  const otherwise = (word: string) => (work === 'edit' ? both('', '') : both(` (${word})`, `（默认 ${word}）`));
  const [quota, expires, warning, conversion] = [
    otherwise('1usd'),
    otherwise('never'),
    otherwise('account'),
    otherwise('drop'),
  ];
  return command
    .option('--quota <money>', say(both(`amount, or unlimited${quota.en}`, `额度，或 unlimited${quota.zh}`)))
    .option('--expires <time>', say(both(`time or never${expires.en}`, `过期时间或 never${expires.zh}`)))
    .option('--group <group>', say(both('group to bill by', '计费分组')))
    .option('--models <list>', say(both('only these models', '仅允许这些模型')), collect)
    .option(
      '--model-mapping <json>',
      say(both('names of models for this key, as {"name": "model"}', '该令牌的模型别名，如 {"别名": "模型"}')),
    )
    .option('--rpm <number>', say(both('requests a minute, or none', '每分钟请求数，或 none（不限）')))
    .option(
      '--tpm <number>',
      say(both('tokens a minute, as 90000 or 90k, or none', '每分钟 token 数，如 90000 或 90k，或 none（不限）')),
    )
    .option('--concurrent-calls <number>', say(both('calls at once, or none', '并发请求数，或 none（不限）')))
    .option('--allow-ip <address>', say(both('only from this address or network', '仅允许该地址或网段')), collect)
    .option(
      '--warn-below <money>',
      say(
        both(
          `tell me when less of the quota is left: an amount, account (its threshold) or never${warning.en}`,
          `剩余额度低于该值时提醒：金额、account（账户阈值）或 never${warning.zh}`,
        ),
      ),
    )
    .option(
      '--conversion <policy>',
      say(
        both(
          `fields that a channel cannot say: strict refuses, warn names them in a header, drop only logs${conversion.en}`,
          `渠道无法表达的字段：strict 拒绝，warn 在响应头中列出，drop 仅记入日志${conversion.zh}`,
        ),
      ),
    );
}

/** Keys that are made at once. */
const mostKeys = 9999;

/** Names of as many keys as are wished for, the same in every run. Throws exit 3. */
function namesFor(name: string, count = '1'): string[] {
  const wanted = /^\d+$/.test(count) ? Number(count) : 0;
  if (wanted < 1 || wanted > mostKeys) {
    throw usageError(
      both(`--count takes a whole number from 1 to ${mostKeys}`, `--count 须为 1 至 ${mostKeys} 的整数`),
      { field: '--count' },
    );
  }
  return wanted === 1 ? [name] : Array.from({ length: wanted }, (_, at) => `${name}-${at + 1}`);
}

export function registerTokenCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const token = group(
    program,
    runtime,
    'token',
    both('Relay keys (sk-…) of the own account', '本人的 API 令牌（sk-…）'),
  );
  const reveal = ['--reveal', both('show whole keys', '显示完整密钥')] as const;

  leaf(
    withLimit(
      token
        .command('list')
        .alias('ls')
        .option('--search <text>', say(both('part of the name', '名称中的文字')))
        .addOption(
          new Option('--status <status>', say(both('only those in this state', '仅该状态的令牌'))).choices(
            Object.values(tokenStatuses),
          ),
        )
        .option(reveal[0], say(reveal[1])),
      say,
    ),
    runtime,
    {
      summary: both('List own relay keys', '列出令牌'),
      examples: ['token list', 'token list --status exhausted -q'],
      prints: budgetedView,
      orders: [],
      calls: ['tokens.list', 'tokens.search', 'budgets.list'],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const [search, status] = [textOf(flags.search), textOf(flags.status)];
      const isShown = (row: TokenRow) => status === undefined || tokenStatuses[row.status] === status;
      const limit = limitOf(flags);
      async function* rows(): AsyncGenerator<TokenRow> {
        if (search !== undefined) {
          const found = (await searchTokens(context, search)).filter(isShown);
          yield* cut(found, limit, cutNote(context));
          return;
        }
        const all = walk({
          page: (page, page_size) => client.tokens.list({ page, page_size }),
          keyOf: (row) => row.id,
          // The server knows no states: rows are counted here.
          limit: status === undefined ? limit : undefined,
          ...told(context),
        });
        let count = 0;
        for await (const row of all) {
          if (!isShown(row)) continue;
          yield row;
          count += 1;
          if (count === limit) return;
        }
      }
      async function* shown() {
        for await (const row of rows()) yield masked(row, flags);
      }
      await context.printer.list(withBudgets(context, shown(), subjectOf), budgetedView(context));
    },
  );

  leaf(
    token.command('get').alias('show').argument('<token>').option(reveal[0], say(reveal[1])),
    runtime,
    {
      summary: both('Show one relay key', '查看令牌'),
      examples: ['token get laptop'],
      prints: budgetedView,
      calls: [...tokenCalls, 'budgets.list'],
    },
    async (context, [reference], flags) => {
      const row = masked(await findToken(context, String(reference)), flags);
      const found = await budgetsOf(context, [subjectOf(row)]);
      const budgets = found === undefined ? null : (found.get(subjectOf(row)) ?? []);
      await context.printer.one({ ...row, budgets }, budgetedView(context));
    },
  );

  leaf(
    token.command('key').argument('<token>'),
    runtime,
    {
      summary: both('Print the key itself', '输出完整密钥'),
      examples: ['token key laptop'],
      prints: () => plainKeyView,
      calls: ['tokens.revealKey', ...tokenCalls],
    },
    async (context, [reference]) => {
      const client = await context.client();
      const { key } = await client.tokens.revealKey({ id: (await findToken(context, String(reference))).id });
      await printKey(context, `sk-${key}`);
    },
  );

  leaf(
    withFields(
      token
        .command('create')
        .alias('add')
        .requiredOption('--name <name>', say(both('name', '名称')))
        .option(
          '--count <n>',
          say(both('so many alike, named NAME-1, NAME-2 and so on', '批量创建的数量，依次命名为 名称-1、名称-2 等')),
        )
        .option(
          '--budget <budget>',
          say(
            both(
              'quota, tokens or requests by the hour, day, week or month: quota=20usd/month, tokens=2m/day; may be repeated',
              '周期预算，类型为 quota、tokens 或 requests，周期为 hour、day、week 或 month：quota=20usd/month、tokens=2m/day，可重复',
            ),
          ),
          collect,
        ),
      say,
      'create',
    ),
    runtime,
    {
      summary: both('Create relay keys; -q prints the keys alone', '创建令牌；-q 仅输出密钥'),
      examples: [
        'token create --name app --quota unlimited --models gpt-4o -q',
        'token create --name workshop --count 20 --quota 1usd --expires 7d -o csv --out keys.csv',
        'token create --name ci --quota unlimited --budget quota=5usd/day --budget requests=1k/hour',
      ],
      prints: tokenView,
      rows: 'tokens.get',
      calls: ['tokens.create'],
      several: true,
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const { key } = context.repetition;
      const references = namesFor(String(flags.name), textOf(flags.count));
      const budgets = await budgetsGiven(context, flags.budget);
      const fields = {
        expired_time: -1,
        ...(await tokenFields(context, { quota: '1usd', ...flags })),
        ...(budgets.length === 0 ? {} : { budgets }),
      };
      const view: View<TokenRow> = { ...tokenView(context), id: (row) => `sk-${row.key}` };
      await printEachItem<TokenRow>(context, { references, view }, async (name) => {
        // By its place, as a name may hold what no header may.
        const idempotencyKey = references.length === 1 ? key : `${key}-${references.indexOf(name) + 1}`;
        const created = await client.tokens.create({ ...fields, name }, { idempotencyKey });
        context.done(
          both(`token ${created.name} has id ${created.id}`, `已创建令牌 ${created.name}，编号 ${created.id}`),
        );
        return created;
      });
    },
  );

  leaf(
    withFields(
      token
        .command('edit')
        .argument('<token...>')
        .option('--name <name>', say(both('new name', '新名称')))
        .option('--unset <fields>', say(unsetText), collect),
      say,
      'edit',
    ),
    runtime,
    {
      summary: both('Change relay keys; only the flags given', '修改令牌，仅更改给出的字段'),
      examples: [
        'token edit app --quota 10usd',
        'token edit 4 5 --rpm 60',
        'token edit app --model-mapping @names.json',
        'token edit app --unset models,allow-ip',
      ],
      prints: tokenView,
      rows: 'tokens.get',
      calls: ['tokens.update', ...tokenCalls],
    },
    async (context, [named], flags) => {
      const client = await context.client();
      const given = { ...unsetFields(flags.unset, blankTokenFields), ...(await tokenFields(context, flags)) };
      expectChange(given);
      const references = await referencesOf(context, named);
      await printEachItem(context, { references, view: tokenView(context) }, async (reference) => {
        const row = await findToken(context, reference);
        const updated = await client.tokens.update({ id: row.id, ...given });
        context.done(both(`token ${updated.name} is changed`, `已修改令牌 ${updated.name}`));
        return masked(updated, flags);
      });
    },
  );

  const switches = [
    { verb: 'enable', status: 1, summary: both('Let relay keys work again', '启用令牌') },
    { verb: 'disable', status: 2, summary: both('Stop relay keys', '禁用令牌') },
  ] as const;
  for (const { verb, status, summary } of switches) {
    leaf(
      token.command(verb).argument('<token...>'),
      runtime,
      {
        summary,
        examples: [`token ${verb} 4 5`],
        prints: 'nothing',
        calls: ['tokens.update', ...tokenCalls],
      },
      async (context, [references]) => {
        const client = await context.client();
        await forEachItem(context, await referencesOf(context, references), async (reference) => {
          const row = await findToken(context, reference);
          await client.tokens.update({ id: row.id, status, status_only: 'true' });
          context.done(both(`token ${row.name}: ${verb}d`, `令牌 ${row.name}：已${status === 1 ? '启用' : '禁用'}`));
        });
      },
    );
  }

  registerTokenCheck(token, runtime);

  leaf(
    token.command('delete').alias('rm').argument('<token...>'),
    runtime,
    {
      summary: both('Delete relay keys', '删除令牌'),
      examples: ['token delete 4 5 --yes'],
      prints: 'nothing',
      calls: ['tokens.delete', ...tokenCalls],
    },
    async (context, [references]) => {
      const client = await context.client();
      const names = await referencesOf(context, references);
      if (names.length === 0) return;
      await confirm(context, both(`Delete token ${names.join(', ')}?`, `删除令牌 ${names.join('、')}？`));
      await forEachItem(context, names, async (reference) => {
        const row = await findToken(context, reference);
        await client.tokens.delete({ id: row.id });
        context.done(both(`token ${row.name} is deleted`, `已删除令牌 ${row.name}`));
      });
    },
  );
}
