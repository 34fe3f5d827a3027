/** `rate-rule`: ratios of their own for users, user groups and keys. */
import type { Command } from 'commander';
import type { RateRuleView } from '../../daemon/contract/rate-rules.ts';
import { group, leaf, type Runtime } from '../command.ts';
import { confirm } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { textOf } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { findUser } from '../users.ts';

type Subject = Pick<RateRuleView, 'subject_kind' | 'subject'>;

function ruleView(context: CommandContext): View<RateRuleView> {
  return {
    columns: [
      { heading: 'ID', value: (row) => row.id, priority: 3 },
      { heading: 'WHO', value: whoOf, priority: 1 },
      { heading: 'MODEL', value: (row) => row.model, priority: 1 },
      { heading: 'RATIO', value: (row) => row.ratio, align: 'right', priority: 1 },
      { heading: 'BY', value: (row) => row.updated_by, priority: 4 },
      { heading: 'AT', unit: 'time', value: (row) => context.agoText(row.updated_at), priority: 5 },
    ],
    fields: ['id', 'subject_kind', 'subject', 'subject_name', 'model', 'ratio', 'updated_at', 'updated_by'],
    id: (row) => row.id,
  };
}

/** As `--who` takes it. */
function whoOf({ subject_kind: kind, subject, subject_name: name }: RateRuleView): string {
  return kind === 'token' || name === '' ? `${kind}:${subject}` : `${kind}:${name}`;
}

/** Reads `user:alice`, `group:vip` or `token:7`; users may be named by their id. Throws exit 3 and 6. */
async function subjectOf(context: CommandContext, who: string): Promise<Subject> {
  const [, kind, name = ''] = /^(user|group|token):(.+)$/.exec(who) ?? [];
  if (kind === 'user') return { subject_kind: 'user', subject: String((await findUser(context, name)).id) };
  if (kind === 'group') return { subject_kind: 'group', subject: name };
  if (kind === 'token' && /^[1-9]\d{0,9}$/.test(name)) return { subject_kind: 'token', subject: name };
  throw usageError(
    both('--who takes user:NAME, group:NAME or token:ID', '--who 需要 user:名称、group:名称 或 token:编号'),
    {
      field: '--who',
    },
  );
}

const isOf = (subject: Subject) => (row: RateRuleView) =>
  row.subject_kind === subject.subject_kind && row.subject === subject.subject;

export function registerRateRuleCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const rules = group(
    program,
    runtime,
    'rate-rule',
    both('Ratios of their own for users, groups and keys', '用户、分组与令牌的专属费率'),
  );
  const who = both('user:alice, group:vip or token:7', '对象：user:alice、group:vip 或 token:7');
  const model = both("a name, a prefix such as 'gpt-*', or '*'", "模型名称、前缀（如 'gpt-*'）或 '*'");

  leaf(
    rules
      .command('list')
      .alias('ls')
      .option('--who <subject>', say(who))
      .option('--model <pattern>', say(both('rules of exactly this model or prefix', '仅显示该模型或前缀的规则'))),
    runtime,
    {
      summary: both('List the rules', '列出费率规则'),
      examples: ['rate-rule list', 'rate-rule list --who group:vip'],
      prints: ruleView,
      orders: [],
      calls: ['rateRules.list', 'users.get', 'users.search'],
    },
    async (context, _args, flags) => {
      const wanted = textOf(flags.who);
      const ofSubject = wanted === undefined ? () => true : isOf(await subjectOf(context, wanted));
      const pattern = textOf(flags.model);
      const rows = await (await context.client()).rateRules.list();
      await context.printer.list(
        rows.filter((row) => ofSubject(row) && (pattern === undefined || row.model === pattern)),
        ruleView(context),
      );
    },
  );

  leaf(
    rules
      .command('set')
      .requiredOption('--who <subject>', say(who))
      .requiredOption('--model <pattern>', say(model))
      .requiredOption('--ratio <n>', say(both('takes the place of the group ratio', '替代分组倍率'))),
    runtime,
    {
      summary: both('Set the ratio of somebody on a model', '设置某对象在某模型上的倍率'),
      examples: [
        "rate-rule set --who group:vip --model '*' --ratio 0.8",
        'rate-rule set --who user:alice --model gpt-4o --ratio 0.5',
      ],
      prints: ruleView,
      calls: ['rateRules.set', 'users.get', 'users.search'],
    },
    async (context, _args, flags) => {
      const text = String(flags.ratio).trim();
      const ratio = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
      if (!(ratio >= 0 && ratio <= 1_000_000)) {
        throw usageError(both(`${text} is no ratio`, `${text} 不是有效倍率`), { field: '--ratio' });
      }
      const subject = await subjectOf(context, String(flags.who));
      const rule = await (await context.client()).rateRules.set({ ...subject, model: String(flags.model), ratio });
      context.done(
        both(
          `${whoOf(rule)} has ratio ${ratio} on ${rule.model}`,
          `${whoOf(rule)} 在 ${rule.model} 上的倍率为 ${ratio}`,
        ),
      );
      await context.printer.one(rule, ruleView(context));
    },
  );

  leaf(
    rules
      .command('delete')
      .alias('rm')
      .requiredOption('--who <subject>', say(who))
      .requiredOption('--model <pattern>', say(model)),
    runtime,
    {
      summary: both('Remove a rule; the group ratio holds again', '删除规则，恢复分组倍率'),
      examples: ["rate-rule delete --who group:vip --model '*' --yes"],
      prints: 'nothing',
      calls: ['rateRules.list', 'rateRules.delete', 'users.get', 'users.search'],
    },
    async (context, _args, flags) => {
      const subject = await subjectOf(context, String(flags.who));
      const client = await context.client();
      const found = (await client.rateRules.list()).find(
        (row) => isOf(subject)(row) && row.model === String(flags.model),
      );
      if (!found) {
        throw new CliError('rate_rule_not_found', exitCodes.notFound, both('there is no such rule', '没有该规则'));
      }
      await confirm(
        context,
        both(
          `Remove the rule of ${whoOf(found)} on ${found.model}?`,
          `删除 ${whoOf(found)} 在 ${found.model} 上的规则？`,
        ),
      );
      await client.rateRules.delete({ id: found.id });
      context.done(both('removed', '已删除'));
    },
  );
}
