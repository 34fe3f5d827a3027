/** `alert`: what operators are told of by itself, and where. `mail test`: whether mail works. */
import type { Command } from 'commander';
import {
  type AlertFigure,
  type AlertKind,
  alertKinds,
  alertThresholds,
  readsFigure,
} from '../../daemon/contract/alert-kinds.ts';
import type { AlertsView, RobotDialect, SentAlertTarget } from '../../daemon/contract/alerts.ts';
import { type Flags, group, leaf, type Runtime } from '../command.ts';
import { confirm } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { collect, givenFor, textOf, wordFlag } from '../flags.ts';
import { splitList } from '../input/text.ts';
import { type Bilingual, both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { unsetFields } from '../unset.ts';

type Rule = AlertsView['rules'][number];
type Target = AlertsView['targets'][number];

const ruleView: View<Rule> = {
  columns: [
    { heading: 'KIND', value: (row) => row.kind, priority: 1 },
    { heading: 'STATUS', unit: 'word', value: (row) => (row.enabled ? 'enabled' : 'disabled'), priority: 1 },
    { heading: 'THRESHOLD', value: (row) => (alertThresholds[row.kind] ? row.threshold : ''), align: 'right' },
    { heading: 'WINDOW', unit: 'word', value: (row) => (row.window_minutes ? `${row.window_minutes}m` : '') },
    { heading: 'MIN', value: (row) => row.min_requests || '', align: 'right' },
    { heading: 'QUIET', unit: 'word', value: (row) => `${row.quiet_minutes}m` },
  ],
  fields: ['kind', 'enabled', 'quiet_minutes', 'threshold', 'window_minutes', 'min_requests'],
  id: (row) => row.kind,
};

const targetView: View<Target> = {
  columns: [
    { heading: 'ID', value: (row) => row.id, priority: 1 },
    { heading: 'TYPE', value: (row) => row.dialect ?? row.type, priority: 1 },
    { heading: 'STATUS', unit: 'word', value: (row) => (row.enabled ? 'enabled' : 'disabled') },
    { heading: 'ADDRESS', value: (row) => row.address },
    { heading: 'SIGNED', value: (row) => row.secret_set },
    { heading: 'KINDS', unit: 'word', value: (row) => row.kinds.join(',') || 'all' },
    { heading: 'LANGUAGE', unit: 'word', value: (row) => row.language ?? 'site' },
  ],
  fields: ['id', 'type', 'name', 'enabled', 'dialect', 'language', 'kinds', 'address', 'secret_set'],
  id: (row) => row.id,
};

const allView: View<AlertsView> = {
  columns: [
    { heading: 'RULES', value: (row) => row.rules.flatMap((rule) => (rule.enabled ? rule.kind : [])).join(', ') },
    { heading: 'TARGETS', value: (row) => row.targets.map((target) => target.id).join(', ') },
    { heading: 'WAITING', value: (row) => row.deliveries.waiting },
    { heading: 'SENT', value: (row) => row.deliveries.sent },
    { heading: 'FAILED', value: (row) => row.deliveries.failed },
    { heading: 'DROPPED', value: (row) => row.deliveries.dropped },
  ],
  fields: ['rules', 'targets', 'deliveries'],
  id: () => 'alerts',
};

const outcomeView: View<{ target: string; ok: boolean; reason: string }> = {
  columns: [
    { heading: 'TARGET', value: (row) => row.target },
    { heading: 'RESULT', unit: 'word', value: (row) => (row.ok ? 'ok' : 'failed') },
    { heading: 'REASON', value: (row) => row.reason },
  ],
  fields: ['target', 'ok', 'reason'],
  id: (row) => row.target,
};

/** One of a closed list, or a usage error that names the list. */
async function oneOf<T extends string>(word: string, known: readonly T[], field: string): Promise<T> {
  const found = known.find((each) => each === word);
  if (found !== undefined) return found;
  const list = known.join(', ');
  throw usageError(both(`no ${word}; there are ${list}`, `没有 ${word}；可用：${list}`), { field });
}

function kindOf(word: string, field: string): Promise<AlertKind> {
  return oneOf(word, alertKinds, field);
}

/** Minutes of `30`, `30m`, `2h` or `1d`. */
function minutesOf(text: string, field: string): number {
  const [, number, unit = 'm'] = /^(\d{1,6})([mhd])?$/.exec(text) ?? [];
  if (number === undefined) throw usageError(both('such as 30m, 2h or 1d', '例如 30m、2h 或 1d'), { field });
  return Number(number) * (unit === 'd' ? 1440 : unit === 'h' ? 60 : 1);
}

function numberOf(text: string, field: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number))
    throw usageError(both('a number is needed', '需要数字'), { field });
  return number;
}

/** What `--enable` and `--disable` say. Throws exit 3 for both. */
function stateOf({ enable, disable }: Flags): { enabled?: boolean } {
  if (enable === true && disable === true)
    throw usageError(both('--enable or --disable, not both', '--enable 与 --disable 不能同时使用'));
  if (enable === true) return { enabled: true };
  return disable === true ? { enabled: false } : {};
}

/** Throws exit 3 for flags that no rule of this kind looks at, by their names: the server refuses them by its own. */
function refuseUnread(kind: AlertKind, { threshold, window, minRequests }: Flags): void {
  const refuse = (figure: AlertFigure, given: unknown, field: string, name: Bilingual) => {
    if (given === undefined || readsFigure(kind, figure)) return;
    throw usageError(both(`${kind} has no ${name.en}`, `${kind} 没有${name.zh}`), { field });
  };
  refuse('threshold', threshold, '--threshold', both('threshold', '阈值'));
  refuse('window_minutes', window, '--window', both('span that is looked at', '统计窗口'));
  refuse('min_requests', minRequests, '--min-requests', both('least number of calls', '最少调用数'));
}

/** What `--language` takes: `site` follows the site’s own. */
const targetLanguages = ['en', 'zh', 'site'] as const;

function languageOf(word: (typeof targetLanguages)[number]): 'en' | 'zh' | null {
  return word === 'site' ? null : word;
}

/** The list of targets with this one in it: new at the end, else in the place of the old one. */
async function saveTarget(context: CommandContext, target: SentAlertTarget): Promise<Target> {
  const client = await context.client();
  const { targets } = await client.alerts.get();
  const kept = targets.map(({ id, type }): SentAlertTarget => (id === target.id ? target : { id, type }));
  const isNew = targets.every(({ id }) => id !== target.id);
  const saved = await client.alerts.set({ targets: isNew ? [...kept, target] : kept });
  const found = saved.targets.find(({ id }) => id === target.id);
  if (found === undefined) throw new Error('the server did not keep the target');
  return found;
}

export function registerAlertCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const alert = group(program, runtime, 'alert', both('Alerts for operators', '运维告警'));

  leaf(
    alert.command('list').alias('ls'),
    runtime,
    {
      summary: both('List the rules', '列出规则'),
      examples: ['alert list'],
      prints: () => ruleView,
      orders: [],
      calls: ['alerts.get'],
    },
    async (context) => {
      await context.printer.list((await (await context.client()).alerts.get()).rules, ruleView);
    },
  );

  leaf(
    alert.command('get').alias('show'),
    runtime,
    {
      summary: both('Show rules, targets and what became of the notices', '查看规则、接收方与投递情况'),
      examples: ['alert get --json', "alert get --jq '.deliveries'"],
      prints: () => allView,
      calls: ['alerts.get'],
    },
    async (context) => {
      await context.printer.one(await (await context.client()).alerts.get(), allView);
    },
  );

  leaf(
    alert
      .command('set')
      .argument('<kind>')
      .option('--enable', say(both('tell of it', '启用')))
      .option('--disable', say(both('tell of it no more', '禁用')))
      .option(
        '--threshold <n>',
        say(
          both(
            'USD, percent, or money for user-balance and token-quota',
            '阈值：美元、百分比；user-balance 与 token-quota 为金额',
          ),
        ),
      )
      .option('--quiet-for <time>', say(both('not again within, e.g. 30m', '静默时间，例如 30m')))
      .option('--window <time>', say(both('error-rate: the span looked at', 'error-rate 的统计窗口')))
      .option('--min-requests <n>', say(both('error-rate: fewer calls say nothing', 'error-rate 的最少调用数'))),
    runtime,
    {
      summary: both('Change a rule', '修改规则'),
      examples: ['alert set error-rate --enable --threshold 20 --window 5m --min-requests 50 --quiet-for 1h'],
      prints: () => ruleView,
      calls: ['alerts.set'],
    },
    async (context, [word], flags) => {
      const kind = await kindOf(String(word), '<kind>');
      refuseUnread(kind, flags);
      const state = stateOf(flags);
      const [threshold, quiet, window, least] = [flags.threshold, flags.quietFor, flags.window, flags.minRequests].map(
        textOf,
      );
      const amount = async (text: string) =>
        alertThresholds[kind] === 'quota' ? context.money(text, '--threshold') : numberOf(text, '--threshold');
      const saved = await (await context.client()).alerts.set({
        rules: [
          {
            kind,
            ...state,
            ...(threshold === undefined ? {} : { threshold: await amount(threshold) }),
            ...(quiet === undefined ? {} : { quiet_minutes: minutesOf(quiet, '--quiet-for') }),
            ...(window === undefined ? {} : { window_minutes: minutesOf(window, '--window') }),
            ...(least === undefined ? {} : { min_requests: numberOf(least, '--min-requests') }),
          },
        ],
      });
      context.done(both(`rule ${kind} is saved`, `规则 ${kind} 已保存`));
      await context.printer.list(
        saved.rules.filter((rule) => rule.kind === kind),
        ruleView,
      );
    },
  );

  const target = group(alert, runtime, 'target', both('Where alerts go', '告警接收方'));
  leaf(
    target.command('list').alias('ls'),
    runtime,
    {
      summary: both('List the targets', '列出接收方'),
      examples: ['alert target list'],
      prints: () => targetView,
      orders: [],
      calls: ['alerts.get'],
    },
    async (context) => {
      await context.printer.list((await (await context.client()).alerts.get()).targets, targetView);
    },
  );

  leaf(
    target
      .command('set')
      .argument('<id>')
      .addOption(
        wordFlag('--type <type>', say(both('how it is reached', '类型')), ['owner', 'mail', 'webhook', 'robot']),
      )
      .option(
        '--dialect <name>',
        say(
          both(
            'robot: slack, discord, feishu, dingtalk or wecom',
            'robot 的产品：slack、discord、feishu、dingtalk 或 wecom',
          ),
        ),
      )
      .option(
        '--address <address>',
        say(
          both('mail or web address; a robot’s: env:NAME, @file or -', '邮箱或网址；robot 请用 env:NAME、@file 或 -'),
        ),
      )
      .option(
        '--secret <secret>',
        say(both('signs the messages: env:NAME, @file or -', '签名密钥：env:NAME、@file 或 -')),
      )
      .option('--unset <fields>', say(both('clear secret', '清除 secret')), collect)
      .option('--kinds <list>', say(both('only these kinds; "" for all', '仅这些类型；"" 表示全部')), collect)
      .addOption(wordFlag('--language <language>', say(both('of the messages', '消息语言')), targetLanguages))
      .option('--enable', say(both('send there', '启用')))
      .option('--disable', say(both('send nothing there', '禁用'))),
    runtime,
    {
      summary: both('Add or change a target', '新增或修改接收方'),
      examples: [
        'alert target set ops --type mail --address ops@example.com',
        'alert target set pager --type webhook --address https://pager.example.com/hook --secret env:SECRET',
        'alert target set chat --type robot --dialect feishu --address env:ROBOT_URL',
      ],
      prints: () => targetView,
      calls: ['alerts.get', 'alerts.set'],
    },
    async (context, [id], flags) => {
      const { alertTargetTypes, robotDialects } = await import('../../daemon/contract/alerts.ts');
      const { targets } = await (await context.client()).alerts.get();
      const before = targets.find((each) => each.id === id);
      const word = textOf(flags.type) ?? before?.type;
      if (word === undefined) throw usageError(both('--type is needed', '需要 --type'), { field: '--type' });
      const type = await oneOf(word, alertTargetTypes, '--type');
      const [dialect, address, secret, language] = [flags.dialect, flags.address, flags.secret, flags.language].map(
        textOf,
      );
      const known: RobotDialect | undefined =
        dialect === undefined ? undefined : await oneOf(dialect, robotDialects, '--dialect');
      const wanted = flags.kinds === undefined ? undefined : splitList(givenFor(flags.kinds));
      const saved = await saveTarget(context, {
        id: String(id),
        type,
        ...(known === undefined ? {} : { dialect: known }),
        ...(address === undefined
          ? {}
          : { address: type === 'robot' ? await context.secret(address, '--address') : address }),
        ...(secret === undefined ? {} : { secret: await context.secret(secret, '--secret') }),
        ...unsetFields(flags.unset, { secret: { secret: null } }),
        ...(wanted === undefined ? {} : { kinds: await Promise.all(wanted.map((kind) => kindOf(kind, '--kinds'))) }),
        ...(language === undefined
          ? {}
          : { language: languageOf(await oneOf(language, targetLanguages, '--language')) }),
        ...stateOf(flags),
      });
      context.done(both(`target ${saved.id} is saved`, `接收方 ${saved.id} 已保存`));
      await context.printer.one(saved, targetView);
    },
  );

  for (const [parent, name] of [
    [target, 'delete'],
    [alert, 'delete'],
  ] as const) {
    leaf(
      parent.command(name).alias('rm').argument('<target>'),
      runtime,
      {
        summary: both('Remove a target', '删除接收方'),
        examples: [parent === alert ? 'alert delete pager --yes' : 'alert target delete pager --yes'],
        prints: 'nothing',
        calls: ['alerts.get', 'alerts.set'],
      },
      async (context, [id]) => {
        const client = await context.client();
        const { targets } = await client.alerts.get();
        if (targets.every((each) => each.id !== id))
          throw new CliError(
            'alert_target_unknown',
            exitCodes.notFound,
            both(`there is no target ${id}`, `没有接收方 ${id}`),
          );
        await confirm(context, both(`Remove target ${id}?`, `删除接收方 ${id}？`));
        const kept = targets.filter((each) => each.id !== id);
        await client.alerts.set({ targets: kept.map((each) => ({ id: each.id, type: each.type })) });
        context.done(both(`target ${id} is removed`, `接收方 ${id} 已删除`));
      },
    );
  }

  leaf(
    alert
      .command('test')
      .option('--target <id>', say(both('one target; every enabled one by default', '指定接收方，默认全部启用的')))
      .addOption(wordFlag('--kind <kind>', say(both('what the sample is about', '样例的类型')), alertKinds)),
    runtime,
    {
      summary: both('Send a sample; exit 2 when one does not arrive', '发送测试告警；有失败时退出码为 2'),
      examples: ['alert test --kind channel-disabled', 'alert test --target pager'],
      prints: () => outcomeView,
      calls: ['alerts.test'],
      exits: [exitCodes.no],
    },
    async (context, _args, flags) => {
      const [id, kind] = [textOf(flags.target), textOf(flags.kind)];
      const results = await (await context.client()).alerts.test({
        ...(id === undefined ? {} : { target: id }),
        ...(kind === undefined ? {} : { kind: await kindOf(kind, '--kind') }),
      });
      await context.printer.list(results, outcomeView);
      if (results.some((result) => !result.ok)) context.endWith(exitCodes.no);
    },
  );

  const mail = group(program, runtime, 'mail', both('Mail of the site', '站点邮件'));
  leaf(
    mail.command('test').option('--to <address>', say(both('the own address by default', '收件地址，默认本人邮箱'))),
    runtime,
    {
      summary: both('Send a sample mail; exit 2 when the mail server refuses', '发送测试邮件；失败时退出码为 2'),
      examples: ['mail test --to me@example.com'],
      prints: 'nothing',
      calls: ['verification.testMail'],
    },
    async (context, _args, flags) => {
      const to = await (await context.client()).verification.testMail({ email: textOf(flags.to) ?? null });
      context.done(both(`a sample was sent to ${to}`, `测试邮件已发送至 ${to}`));
    },
  );
}
