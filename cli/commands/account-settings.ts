/** `account settings`: how and when users are told that their balance is low. */
import type { Command } from 'commander';
import { group, leaf, type Runtime } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { collect, expectChange, textOf, wordFlag } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { unsetFields } from '../unset.ts';

/** When and how the account's owner is told of a low balance. */
export interface NotificationSettings {
  notify_type: string;
  /** Undefined while the site's own threshold counts. */
  quota_warning_threshold: number | undefined;
  webhook_url: string;
  webhook_secret_set: boolean;
  notification_email: string;
  accept_unset_model_ratio_model: boolean;
}

/** The saved settings. */
export async function readSettings(context: CommandContext): Promise<NotificationSettings> {
  const { setting } = await (await context.client()).account.get();
  const stored: unknown = setting === '' ? {} : JSON.parse(setting);
  const member = (name: string): unknown =>
    typeof stored === 'object' && stored !== null ? Reflect.get(stored, name) : undefined;
  const text = (name: string) => {
    const value = member(name);
    return typeof value === 'string' ? value : '';
  };
  const threshold = member('quota_warning_threshold');
  return {
    notify_type: text('notify_type') || 'email',
    quota_warning_threshold: typeof threshold === 'number' ? threshold : undefined,
    webhook_url: text('webhook_url'),
    webhook_secret_set: text('webhook_secret') !== '',
    notification_email: text('notification_email'),
    accept_unset_model_ratio_model: member('accept_unset_model_ratio_model') === true,
  };
}

function settingsView(context: CommandContext): View<NotificationSettings> {
  const money = context.moneyCells();
  return {
    columns: [
      { heading: 'NOTIFY', unit: 'word', value: (row) => row.notify_type },
      {
        heading: 'THRESHOLD',
        unit: 'money',
        value: (row) => (row.quota_warning_threshold === undefined ? 'site' : money(row.quota_warning_threshold)),
      },
      { heading: 'EMAIL', value: (row) => row.notification_email },
      { heading: 'WEBHOOK', value: (row) => row.webhook_url },
      { heading: 'SIGNED', value: (row) => row.webhook_secret_set },
      { heading: 'UNPRICED', value: (row) => row.accept_unset_model_ratio_model },
    ],
    fields: [
      'notify_type',
      'quota_warning_threshold',
      'webhook_url',
      'webhook_secret_set',
      'notification_email',
      'accept_unset_model_ratio_model',
    ],
    id: (row) => row.notify_type,
  };
}

/** Threshold of whoever has never set one: that of a new form in the console. */
const firstThreshold = 500_000;

/** The flags of `account settings edit`, as commander names them. */
const settingFlags = ['notify', 'threshold', 'email', 'webhookUrl', 'webhookSecret', 'unset', 'acceptUnpriced'];

/** Changes what flags say, and leaves the rest. Throws exit 3. */
export async function changeSettings(context: CommandContext, flags: Readonly<Record<string, unknown>>): Promise<void> {
  const cleared = unsetFields(flags.unset, { 'webhook-secret': { webhook_secret: null } });
  const before = await readSettings(context);
  const threshold = textOf(flags.threshold);
  const secret = textOf(flags.webhookSecret);
  await (await context.client()).account.saveSetting({
    notify_type: textOf(flags.notify) ?? before.notify_type,
    quota_warning_threshold:
      threshold === undefined
        ? (before.quota_warning_threshold ?? firstThreshold)
        : await context.money(threshold, '--threshold'),
    webhook_url: textOf(flags.webhookUrl) ?? before.webhook_url,
    notification_email: textOf(flags.email) ?? before.notification_email,
    accept_unset_model_ratio_model:
      typeof flags.acceptUnpriced === 'boolean' ? flags.acceptUnpriced : before.accept_unset_model_ratio_model,
    ...(secret === undefined ? {} : { webhook_secret: await context.secret(secret, '--webhook-secret') }),
    ...cleared,
  });
}

export function registerSettingsCommands(account: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const settings = group(account, runtime, 'settings', both('Notification settings', '通知设置'));

  leaf(
    settings.command('get').alias('show'),
    runtime,
    {
      summary: both('Show the notification settings', '查看通知设置'),
      examples: ['account settings get'],
      prints: settingsView,
      calls: ['account.get'],
    },
    async (context) => {
      await context.printer.one(await readSettings(context), settingsView(context));
    },
  );

  leaf(
    settings
      .command('edit')
      .addOption(wordFlag('--notify <way>', say(both('how to be told', '通知方式')), ['email', 'webhook']))
      .option('--threshold <money>', say(both('warn below this balance, e.g. 1usd', '余额低于该值时提醒，例如 1usd')))
      .option(
        '--email <address>',
        say(both('instead of the account’s address; "" for that', '接收邮箱；"" 表示使用账户邮箱')),
      )
      .option('--webhook-url <url>', say(both('address of the webhook', 'Webhook 地址')))
      .option(
        '--webhook-secret <secret>',
        say(both('signs the messages: env:NAME, @file or -', '签名密钥：env:NAME、@file 或 -')),
      )
      .option('--unset <fields>', say(both('clear webhook-secret', '清除 webhook-secret')), collect)
      .option('--accept-unpriced', say(both('allow models without a price', '接受未设置价格的模型')))
      .option('--no-accept-unpriced', say(both('refuse them', '不接受未设置价格的模型'))),
    runtime,
    {
      summary: both('Change the notification settings', '修改通知设置'),
      examples: [
        'account settings edit --threshold 1usd',
        'account settings edit --notify webhook --webhook-url https://example.com/hook --webhook-secret env:SECRET',
      ],
      prints: settingsView,
      calls: ['account.get', 'account.saveSetting'],
    },
    async (context, _args, flags) => {
      expectChange(
        Object.fromEntries(settingFlags.filter((name) => flags[name] !== undefined).map((name) => [name, 1])),
      );
      await changeSettings(context, flags);
      context.done(both('settings saved', '设置已保存'));
      await context.printer.one(await readSettings(context), settingsView(context));
    },
  );

  leaf(
    settings.command('test'),
    runtime,
    {
      summary: both(
        'Send a sample by the saved settings; exit 2 when it does not arrive',
        '按已保存的设置发送测试通知；失败时退出码为 2',
      ),
      examples: ['account settings test'],
      prints: 'nothing',
      calls: ['account.testNotice'],
    },
    async (context) => {
      await (await context.client()).account.testNotice();
      context.done(both('the sample has arrived', '测试通知已送达'));
    },
  );
}
