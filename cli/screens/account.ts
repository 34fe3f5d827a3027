/** The own account, for whoever sees no settings of the site: wallet, and when a low balance is told. */
import type { SelfView } from '../../daemon/contract/account.ts';
import { changeSettings, type NotificationSettings, readSettings } from '../commands/account-settings.ts';
import { both } from '../language.ts';
import type { Desk } from './desk.ts';
import type { Form } from './form.ts';
import type { ActionOf } from './keys.ts';
import { labelled } from './layout.ts';
import { openOutput } from './palette.ts';
import { changedWords, commandWith, type FormField, RecordForm } from './record-form.ts';
import type { Refresher, Source } from './refresh.ts';
import type { TabScreen } from './screen.ts';

/** The flags of `account settings edit` that the form has. */
const flagNames = {
  notify: '--notify',
  threshold: '--threshold',
  email: '--email',
  webhookUrl: '--webhook-url',
} as const;
type FieldName = keyof typeof flagNames;

export class AccountScreen implements TabScreen {
  readonly id = 'account';
  readonly sources: readonly Source[] = [{ kind: 'account', periodMs: 60_000, call: () => this.#load() }];
  readonly actions: Readonly<Record<ActionOf<'account'>, () => void>> = {
    edit: () => this.#openForm(),
    redeem: () => this.#redeem(),
    'check-in': () => this.#checkIn(),
    orders: () => openOutput(this.#desk, { line: 'wallet orders' }),
    sessions: () => this.#desk.leaveFor(['session', 'list']),
    profiles: () => openOutput(this.#desk, { line: 'profile list' }),
  };
  form: Form | undefined;
  readonly #desk: Desk;
  readonly #refresher: Refresher;
  #me: SelfView | undefined;
  #settings: NotificationSettings | undefined;

  constructor(desk: Desk, refresher: Refresher) {
    this.#desk = desk;
    this.#refresher = refresher;
  }

  head(): string {
    return this.#desk.say(both('your own account', '本人账户'));
  }

  body(): readonly string[] {
    const { say, money } = this.#desk;
    const [me, settings] = [this.#me, this.#settings];
    if (me === undefined || settings === undefined) return [` ${say(both('asking…', '查询中…'))}`];
    const threshold = settings.quota_warning_threshold;
    const below = threshold === undefined ? say(both('as the site has it', '站点默认')) : money(threshold);
    const line = (label: { en: string; zh: string }, text: string) => labelled(say(label), text, 12);
    return [
      ` ${me.id}  ${me.username}`,
      '',
      line(both('balance', '余额'), money(me.quota)),
      line(
        both('used', '已用'),
        `${money(me.used_quota)}   ${say(both('{calls} {calls:call|calls}', '{calls} 次调用', { calls: me.request_count }))}`,
      ),
      line(both('invited', '邀请收益'), money(me.aff_quota)),
      line(both('group', '分组'), me.group),
      line(both('e-mail', '邮箱'), me.email || '-'),
      line(both('check-in', '签到'), me.last_check_in_time ?? '-'),
      '',
      ` ${say(both('Told when the balance is low', '余额不足提醒'))}`,
      line(both('below', '低于'), below),
      line(both('by', '方式'), settings.notify_type),
      line(both('to', '收件邮箱'), settings.notification_email || '-'),
      line(both('webhook', 'Webhook'), settings.webhook_url || '-'),
    ];
  }

  async #load(): Promise<void> {
    const { client, context } = this.#desk;
    [this.#me, this.#settings] = await Promise.all([client.account.get(), readSettings(context)]);
  }

  #openForm(): void {
    const settings = this.#settings;
    if (settings === undefined) return;
    const fields = fieldsOf(settings);
    this.form = new RecordForm<FieldName>({
      desk: this.#desk,
      title: both('When a low balance is told', '余额不足提醒'),
      fields,
      command: (words) => commandWith('tollgate account settings edit', changedWords(words, fields, false), flagNames),
      save: async (words) => {
        const changed = changedWords(words, fields, false).map(({ name, word }) => [name, word]);
        await changeSettings(this.#desk.context, Object.fromEntries(changed));
        this.#refresher.refresh();
        return both('settings saved', '设置已保存');
      },
      onEnd: () => {
        this.form = undefined;
        this.#desk.changed('key');
      },
    });
  }

  #redeem(): void {
    this.#desk.ask(both('code:', '兑换码：'), (line) => {
      const key = line.trim();
      if (key === '') return;
      void this.#desk.act('tollgate wallet redeem -', async () => {
        const { quota } = await this.#desk.client.redemptions.redeem({ key });
        this.#refresher.refresh();
        const credited = this.#desk.money(quota);
        return both(`${credited} credited`, `已到账 ${credited}`);
      });
    });
  }

  #checkIn(): void {
    void this.#desk.act('tollgate checkin', async () => {
      const { quota } = await this.#desk.client.rewards.checkIn();
      this.#refresher.refresh();
      const credited = this.#desk.money(quota);
      return both(`${credited} credited`, `已到账 ${credited}`);
    });
  }
}

function fieldsOf(settings: NotificationSettings): readonly FormField<FieldName>[] {
  const threshold = settings.quota_warning_threshold;
  return [
    {
      name: 'threshold',
      label: both('Below', '低于'),
      hint: both('1usd', '1usd'),
      text: threshold === undefined ? '' : `${threshold}units`,
    },
    {
      name: 'notify',
      label: both('By', '方式'),
      hint: both('email or webhook', 'email 或 webhook'),
      text: settings.notify_type,
    },
    {
      name: 'email',
      label: both('To', '收件邮箱'),
      hint: both('empty: that of the account', '留空使用账户邮箱'),
      text: settings.notification_email,
    },
    {
      name: 'webhookUrl',
      label: both('Webhook', 'Webhook'),
      hint: both('https://…', 'https://…'),
      text: settings.webhook_url,
    },
  ];
}
