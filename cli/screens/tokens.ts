/** The screen of the own relay keys: finding, making, changing, switching and deleting them, and their keys on the clipboard. */
import type { TokenView } from '../../daemon/contract/tokens.ts';
import { blankTokenFields, tokenFields } from '../commands/token-fields.ts';
import { both } from '../language.ts';
import { unsetFields } from '../unset.ts';
import { maskKey } from '../views.ts';
import type { Desk } from './desk.ts';
import type { Form } from './form.ts';
import type { ActionOf } from './keys.ts';
import { type ListColumn, labelled, type Size } from './layout.ts';
import { pageRows } from './list-state.ts';
import { ListView } from './list-view.ts';
import { changedWords, commandWith, type FormField, RecordForm } from './record-form.ts';
import type { Refresher, Source } from './refresh.ts';
import type { Screen } from './screen.ts';

/** The flags of `token create` that the form has. */
const flagNames = {
  name: '--name',
  quota: '--quota',
  expires: '--expires',
  group: '--group',
  models: '--models',
  allowIp: '--allow-ip',
} as const;
type FieldName = keyof typeof flagNames;
type Changed = ReturnType<typeof changedWords<FieldName>>;

/** Fields that may hold nothing, as `--unset` calls them: a flag of `token edit` that names nothing is refused. */
const clearable: Readonly<Record<string, string>> = { group: 'group', models: 'models', allowIp: 'allow-ip' };

const isCleared = ({ name, word }: Changed[number]) => word === '' && clearable[name] !== undefined;
const unsetOf = (changed: Changed) => changed.filter(isCleared).map(({ name }) => clearable[name] ?? name);
const givenOf = (changed: Changed) => changed.filter((one) => !isCleared(one));

export class TokensScreen implements Screen {
  readonly id = 'tokens';
  readonly #view = new ListView<TokenView>({
    keyOf: (row) => row.id,
    turned: () => this.#refresher.refresh(),
    left: () => this.#search(''),
  });
  readonly #list = this.#view.list;
  readonly sources: readonly Source[] = [{ kind: 'tokens', periodMs: 60_000, call: () => this.#load() }];
  readonly actions: Readonly<Record<ActionOf<'tokens'>, () => void>> = {
    ...this.#view.actions,
    filter: () => this.#desk.ask(both('name:', '名称：'), (line) => this.#search(line), this.#text),
    new: () => this.#openForm(undefined),
    edit: () => {
      if (this.#list.current) this.#openForm(this.#list.current);
    },
    switch: () => this.#switch(),
    delete: () => this.#askDelete(),
    copy: () => this.#copyKey(),
    try: () => this.#try(),
  };
  form: Form | undefined;
  readonly #desk: Desk;
  readonly #refresher: Refresher;
  readonly #columns: readonly ListColumn<TokenView>[];
  #text = '';
  /** Keys that there are of what is looked for; a search brings the newest of them alone. */
  #found = 0;

  constructor(desk: Desk, refresher: Refresher) {
    this.#desk = desk;
    this.#refresher = refresher;
    this.#columns = tokenColumns(desk);
  }

  head(): string {
    const { say } = this.#desk;
    const filter = this.#text === '' ? say(both('no filter', '未筛选')) : this.#text;
    const shown = this.#list.total;
    if (this.#found > shown)
      return say(
        both(
          'filter: {filter}   {shown} of {found} tokens, the newest',
          '筛选：{filter}   {found} 个令牌中最新的 {shown} 个',
          {
            filter,
            shown,
            found: this.#found,
          },
        ),
      );
    return say(
      both('filter: {filter}   {total} {total:token|tokens}', '筛选：{filter}   共 {total} 个令牌', {
        filter,
        total: this.#list.total,
      }),
    );
  }

  body(size: Size): readonly string[] {
    return this.#view.lines(this.#desk, {
      columns: this.#columns,
      size,
      detail: (row) => this.#detail(row),
    });
  }

  #detail(row: TokenView): readonly string[] {
    const { say, money, context } = this.#desk;
    const time = (seconds: number) => (seconds > 0 ? String(context.timeText(seconds)) : '-');
    const any = say(both('any', '不限'));
    return [
      ` ${row.id}  ${row.name}`,
      '',
      labelled(say(both('key', '密钥')), `sk-${maskKey(row.key)}`),
      labelled(say(both('status', '状态')), statusOf(row, this.#desk)),
      labelled(say(both('left', '剩余')), leftOf(row, this.#desk)),
      labelled(say(both('used', '已用')), money(row.used_quota)),
      labelled(say(both('group', '分组')), row.group || '-'),
      labelled(say(both('models', '模型')), row.model_limits || any),
      labelled(say(both('from', '来源')), row.allow_ips || any),
      labelled(say(both('expires', '过期')), expiryOf(row, this.#desk)),
      labelled(say(both('created', '创建')), time(row.created_time)),
      labelled(say(both('last used', '最近使用')), time(row.accessed_time)),
    ];
  }

  async #load(): Promise<void> {
    const { tokens } = this.#desk.client;
    const take = this.#list.taking();
    if (this.#text === '') {
      const { items, total } = await tokens.list({ page: this.#list.page, page_size: pageRows });
      this.#found = total;
      return take(items, total);
    }
    const { items, total } = await tokens.search({ keyword: this.#text });
    this.#found = total;
    // A search has no further pages to turn to.
    take(items, items.length);
  }

  #search(line: string): void {
    this.#text = line.trim();
    this.#list.restart();
    this.#refresher.refresh();
  }

  /** @param row the key to be changed; undefined for a new one */
  #openForm(row: TokenView | undefined): void {
    const fields = formFields(row);
    this.form = new RecordForm<FieldName>({
      desk: this.#desk,
      title: row === undefined ? both('New token', '新建令牌') : both(`Token ${row.name}`, `令牌 ${row.name}`),
      fields,
      command: (words) => {
        const changed = changedWords(words, fields, row === undefined);
        const unset = unsetOf(changed);
        const command = row === undefined ? 'tollgate token create' : `tollgate token edit ${row.id}`;
        return `${commandWith(command, givenOf(changed), flagNames)}${unset.length === 0 ? '' : ` --unset ${unset}`}`;
      },
      save: async (words) => {
        const changed = changedWords(words, fields, row === undefined);
        const flags = givenOf(changed).map(({ name, word }) => [name, name === 'allowIp' ? [word] : word]);
        // Who is signed in may have changed while the form was open.
        const { context, client } = this.#desk;
        const input = {
          ...unsetFields(unsetOf(changed), blankTokenFields),
          ...(await tokenFields(context, Object.fromEntries(flags))),
        };
        const made =
          row === undefined
            ? await client.tokens.create({ expired_time: -1, ...input })
            : await client.tokens.update({ id: row.id, ...input });
        this.#list.want(made.id);
        this.#refresher.refresh();
        return row === undefined
          ? both(`${made.name} is made; y copies its key`, `已创建 ${made.name}，按 y 复制密钥`)
          : both(`${made.name} is changed`, `已修改 ${made.name}`);
      },
      onEnd: () => {
        this.form = undefined;
        this.#desk.changed('key');
      },
    });
  }

  #switch(): void {
    const { current } = this.#list;
    if (current === undefined) return;
    const { id, name } = current;
    const status = current.status === 1 ? 2 : 1;
    void this.#desk.act(`tollgate token ${status === 1 ? 'enable' : 'disable'} ${id}`, async () => {
      this.#list.replace(await this.#desk.client.tokens.update({ id, status, status_only: 'true' }));
      return status === 1
        ? both(`${name} is enabled`, `已启用 ${name}`)
        : both(`${name} is disabled`, `已禁用 ${name}`);
    });
  }

  #askDelete(): void {
    const { current } = this.#list;
    if (current === undefined) return;
    const { id, name } = current;
    this.#desk.confirm(
      both(`Delete ${name}: calls with its key fail?`, `删除 ${name}：使用该密钥的请求将失败？`),
      () =>
        void this.#desk.act(`tollgate token delete ${id} --yes`, async () => {
          await this.#desk.client.tokens.delete({ id });
          this.#refresher.refresh();
          return both(`${name} is deleted`, `已删除 ${name}`);
        }),
    );
  }

  /** Talks with a model by this key, on the terminal itself. */
  #try(): void {
    const { current } = this.#list;
    if (current === undefined) return;
    this.#desk.ask(both('model to ask:', '要提问的模型：'), (line) => {
      const model = line.trim();
      if (model !== '') this.#desk.leaveFor(['chat', '--token', String(current.id), '--model', model]);
    });
  }

  /** The key itself: to the clipboard of a terminal that has one, and on the line of messages for any other. */
  #copyKey(): void {
    const { current } = this.#list;
    if (current === undefined) return;
    const { id, name } = current;
    void this.#desk.act(`tollgate token key ${id}`, async () => {
      const { key } = await this.#desk.client.tokens.revealKey({ id });
      this.#desk.copy(`sk-${key}`);
      return both(`on the clipboard, key of ${name}: sk-${key}`, `已复制 ${name} 的密钥：sk-${key}`);
    });
  }
}

function formFields(row: TokenView | undefined): readonly FormField<FieldName>[] {
  const left = row === undefined ? '1usd' : row.unlimited_quota ? 'unlimited' : `${row.remain_quota}units`;
  const expires = row === undefined || row.expired_time === -1 ? 'never' : `@${row.expired_time}`;
  return [
    { name: 'name', label: both('Name', '名称'), hint: both('for yourself', '便于识别'), text: row?.name ?? '' },
    { name: 'quota', label: both('Quota', '额度'), hint: both('5usd or unlimited', '5usd 或 unlimited'), text: left },
    {
      name: 'expires',
      label: both('Expires', '过期'),
      hint: both('30d, 2027-01-01, never', '30d、2027-01-01、never'),
      text: expires,
    },
    {
      name: 'group',
      label: both('Group', '分组'),
      hint: both('empty: your own', '留空为本人分组'),
      text: row?.group ?? '',
    },
    {
      name: 'models',
      label: both('Models', '模型'),
      hint: both('a,b; empty: any', 'a,b；留空不限'),
      text: row?.model_limits ?? '',
      lineBreak: ',',
    },
    {
      name: 'allowIp',
      label: both('Addresses', '来源地址'),
      hint: both('10.0.0.0/8; empty: any', '10.0.0.0/8；留空不限'),
      text: row?.allow_ips.replaceAll('\n', ',') ?? '',
      lineBreak: ',',
    },
  ];
}

/** A key that no call may use steps back. */
const unusable = ({ status }: TokenView) => (status === 1 ? undefined : 'dim');

function statusOf({ status }: TokenView, { say }: Desk): string {
  if (status === 1) return say(both('enabled', '启用'));
  if (status === 2) return say(both('disabled', '禁用'));
  return status === 3 ? say(both('expired', '已过期')) : say(both('used up', '已用尽'));
}

function leftOf({ unlimited_quota, remain_quota }: TokenView, { say, money }: Desk): string {
  return unlimited_quota ? say(both('unlimited', '不限')) : money(remain_quota);
}

function expiryOf({ expired_time }: TokenView, { say, context }: Desk): string {
  return expired_time === -1 ? say(both('never', '永不')) : String(context.timeText(expired_time)).slice(0, 16);
}

function tokenColumns(desk: Desk): readonly ListColumn<TokenView>[] {
  const { say, money } = desk;
  return [
    { heading: 'ID', width: 5, align: 'right', priority: 1, value: (row) => row.id },
    { heading: say(both('NAME', '名称')), width: 14, priority: 1, grows: true, value: (row) => row.name },
    { heading: say(both('KEY', '密钥')), width: 15, priority: 6, value: (row) => `sk-${maskKey(row.key)}` },
    {
      heading: say(both('STATUS', '状态')),
      width: 8,
      priority: 2,
      value: (row) => statusOf(row, desk),
      tone: unusable,
    },
    { heading: say(both('LEFT', '剩余')), width: 10, align: 'right', priority: 2, value: (row) => leftOf(row, desk) },
    {
      heading: say(both('USED', '已用')),
      width: 10,
      align: 'right',
      priority: 4,
      value: (row) => money(row.used_quota),
    },
    { heading: say(both('GROUP', '分组')), width: 9, priority: 7, value: (row) => row.group },
    { heading: say(both('EXPIRES', '过期')), width: 16, priority: 5, value: (row) => expiryOf(row, desk) },
  ];
}
