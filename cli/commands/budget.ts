/** `budget`: what keys, accounts and channels may use within an hour, day, week or month. */
import type { Command } from 'commander';
import type { BudgetKind, BudgetPeriod, BudgetView } from '../../daemon/contract/budgets.ts';
import { group, leaf, type Runtime } from '../command.ts';
import { confirm } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { textOf, wordFlag } from '../flags.ts';
import { both, type Say, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { findToken, tokenCalls } from '../own-tokens.ts';
import { limitOf, told, walk, withLimit } from '../paging.ts';
import { findUser } from '../users.ts';
import { budgetKinds, budgetLimit, budgetPeriods, oneOf } from './budget-fields.ts';
import { findCalls, findChannel } from './channel-reference.ts';

/** The endpoints behind `subjectOf`. */
const subjectCalls = [...tokenCalls, 'users.get', 'users.search', ...findCalls] as const;

function budgetView(context: CommandContext): View<BudgetView> {
  const money = context.moneyCells();
  const amount = ({ kind }: BudgetView, value: number) => (kind === 'quota' ? money(value) : value);
  return {
    columns: [
      { heading: 'ON', value: (row) => row.on, priority: 1 },
      { heading: 'NAME', value: (row) => row.name, priority: 4 },
      { heading: 'KIND', unit: 'word', value: (row) => row.kind, priority: 1 },
      { heading: 'PER', unit: 'word', value: (row) => row.per, priority: 1 },
      { heading: 'LIMIT', value: (row) => amount(row, row.limit), align: 'right', priority: 2 },
      { heading: 'USED', value: (row) => amount(row, row.used), align: 'right', priority: 2 },
      { heading: 'RESETS', unit: 'time', value: (row) => context.timeText(row.resets_at), priority: 3 },
    ],
    id: (row) => row.on,
  };
}

/** What `--on` names, as calls name it: `token:7`, `user:alice`, `channel:openai-main`. */
async function subjectOf(context: CommandContext, flags: Readonly<Record<string, unknown>>): Promise<string> {
  const text = String(flags.on);
  const [, kind, name = ''] = /^(token|user|channel):(.+)$/.exec(text) ?? [];
  if (kind === 'token') return `token:${/^\d+$/.test(name) ? name : (await findToken(context, name)).id}`;
  if (kind === 'user') return `user:${/^\d+$/.test(name) ? name : (await findUser(context, name)).id}`;
  if (kind === 'channel') return `channel:${/^\d+$/.test(name) ? name : (await findChannel(context, name)).id}`;
  throw usageError(both('--on is token:…, user:… or channel:…', '--on 须为 token:…、user:… 或 channel:…'), {
    field: '--on',
  });
}

/** The one amount that was given, in units of its kind. */
async function amountOf(
  context: CommandContext,
  flags: Readonly<Record<string, unknown>>,
): Promise<{ kind: BudgetKind; limit: number }> {
  const given = budgetKinds.filter((kind) => flags[kind] !== undefined);
  const [kind] = given;
  if (kind === undefined || given.length > 1) {
    throw usageError(
      both('give one of --quota, --tokens and --requests', '须且仅须指定 --quota、--tokens、--requests 之一'),
    );
  }
  const field = `--${kind}`;
  return { kind, limit: await budgetLimit(context, { kind, text: String(flags[kind]), field }) };
}

function withSubject(command: Command, say: Say): Command {
  return command.requiredOption(
    '--on <subject>',
    say(both('token:…, user:… or channel:…, by id or name', 'token:…、user:… 或 channel:…，编号或名称')),
  );
}

export function registerBudgetCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const budget = group(program, runtime, 'budget', both('Budgets by the period', '周期预算'));
  const per = () => wordFlag('--per <period>', say(both('how long it runs', '周期')), budgetPeriods);

  leaf(
    withLimit(
      budget
        .command('list')
        .alias('ls')
        .option('--on <subject>', say(both('only of token:…, user:… or channel:…', '仅 token:…、user:… 或 channel:…'))),
      say,
    ),
    runtime,
    {
      summary: both('List budgets, with what is used and when they begin anew', '列出预算、已用量与重置时间'),
      examples: ['budget list', 'budget list --on user:alice'],
      prints: budgetView,
      rows: 'budgets.list',
      orders: [],
      calls: ['budgets.list', ...subjectCalls],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const filter = textOf(flags.on) === undefined ? {} : { on: await subjectOf(context, flags) };
      const rows = walk({
        page: (page, page_size) => client.budgets.list({ ...filter, page, page_size }),
        keyOf: (row) => `${row.on} ${row.kind} ${row.per}`,
        limit: limitOf(flags),
        ...told(context),
      });
      await context.printer.list(rows, budgetView(context));
    },
  );

  leaf(
    withSubject(budget.command('set'), say)
      .option('--quota <money>', say(both('an amount', '金额')))
      .option('--tokens <number>', say(both('tokens of prompt and answer, as 2m', '提示与回答的 token 数，如 2m')))
      .option('--requests <number>', say(both('calls that are answered', '成功的请求数')))
      .addOption(per().makeOptionMandatory()),
    runtime,
    {
      summary: both('Set a budget; what was used in the period stays', '设置预算，本周期已用量保留'),
      examples: ['budget set --on user:alice --quota 20usd --per month'],
      prints: budgetView,
      rows: 'budgets.set',
      calls: ['budgets.set', ...subjectCalls],
    },
    async (context, _args, flags) => {
      const period: BudgetPeriod = oneOf(String(flags.per), budgetPeriods, '--per');
      const amount = await amountOf(context, flags);
      const on = await subjectOf(context, flags);
      const client = await context.client();
      const set = await client.budgets.set({ on, per: period, ...amount });
      context.done(both(`the budget of ${on} is set`, `已设置 ${on} 的预算`));
      await context.printer.one(set, budgetView(context));
    },
  );

  leaf(
    withSubject(budget.command('delete').alias('rm'), say)
      .addOption(wordFlag('--kind <kind>', say(both('only what counts this', '仅此类预算')), budgetKinds))
      .addOption(per()),
    runtime,
    {
      summary: both(
        'Remove budgets: all of a key, account or channel, or those named',
        '删除预算：某对象的全部或指定的预算',
      ),
      examples: ['budget delete --on user:alice --kind quota --per month --yes'],
      prints: 'nothing',
      calls: ['budgets.delete', 'budgets.list', ...subjectCalls],
    },
    async (context, _args, flags) => {
      const kind = textOf(flags.kind) === undefined ? undefined : oneOf(String(flags.kind), budgetKinds, '--kind');
      const period = textOf(flags.per) === undefined ? undefined : oneOf(String(flags.per), budgetPeriods, '--per');
      const on = await subjectOf(context, flags);
      const client = await context.client();
      const { items } = await client.budgets.list({ on });
      const meant = items.filter((row) => (kind ?? row.kind) === row.kind && (period ?? row.per) === row.per);
      if (meant.length === 0) {
        const text = both(`${on} has no such budget`, `${on} 没有这样的预算`);
        throw new CliError('budget_not_found', exitCodes.notFound, text);
      }
      const names = meant.map((row) => `${row.kind}/${row.per}`).join(', ');
      await confirm(context, both(`Remove ${names} of ${on}?`, `删除 ${on} 的 ${names}？`));
      for (const row of meant) await client.budgets.delete({ on, kind: row.kind, per: row.per });
      context.done(both(`removed of ${on}: ${names}`, `已删除 ${on} 的 ${names}`));
    },
  );
}
