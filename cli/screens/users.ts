/** The screen of users: looking for them, switching them on and off, and their balances. */
import type { UserView } from '../../daemon/contract/users.ts';
import { roleNumbers } from '../commands/user-create.ts';
import { both } from '../language.ts';
import { CloseLook } from './close-look.ts';
import type { Desk } from './desk.ts';
import { FilterLine, type FilterWords } from './filter-words.ts';
import type { Form } from './form.ts';
import type { ActionOf } from './keys.ts';
import type { ListColumn, Size } from './layout.ts';
import { pageRows } from './list-state.ts';
import { ListView } from './list-view.ts';
import { newUserForm } from './new-user.ts';
import type { Refresher, Source } from './refresh.ts';
import type { Screen } from './screen.ts';
import { type UserFindings, userColumns, userDetail } from './user-lines.ts';

const filterNames = ['group', 'role', 'status'] as const;

const statusNumbers: Readonly<Record<string, number>> = { enabled: 1, disabled: 2, deleted: -1 };

export class UsersScreen implements Screen {
  readonly id = 'users';
  readonly #view = new ListView<UserView>({
    keyOf: (row) => row.id,
    turned: () => this.#refresher.refresh('users'),
    moved: () => this.#look.soon(),
    left: () => this.#filter.clear(this.#desk),
  });
  readonly #list = this.#view.list;
  readonly #look: CloseLook<UserView, UserFindings>;
  readonly #filter = new FilterLine({
    names: filterNames,
    label: both('filter (text, group= role= status=):', '筛选（文字、group= role= status=）：'),
    check: unknownWord,
    changed: () => this.#restart(),
  });
  readonly sources: readonly Source[];
  readonly actions: Readonly<Record<ActionOf<'users'>, () => void>> = {
    ...this.#view.actions,
    filter: () => this.#filter.ask(this.#desk),
    switch: () => this.#switch(),
    quota: () => this.#askAmount(),
    new: () => {
      this.form = newUserForm(this.#desk, (isMade) => {
        this.form = undefined;
        if (isMade) this.#refresher.refresh();
        this.#desk.changed('key');
      });
    },
    promote: () => this.#askRole('promote'),
    demote: () => this.#askRole('demote'),
    delete: () => this.#askDelete(),
    sessions: () => {
      const { current } = this.#list;
      if (current !== undefined) this.#desk.leaveFor(['session', 'list', '--user', String(current.id)]);
    },
  };
  form: Form | undefined;
  readonly #desk: Desk;
  readonly #refresher: Refresher;
  readonly #columns: readonly ListColumn<UserView>[];

  constructor(desk: Desk, refresher: Refresher) {
    this.#desk = desk;
    this.#refresher = refresher;
    this.#columns = userColumns(desk);
    this.#look = new CloseLook({
      kind: 'user',
      list: this.#list,
      refresher,
      ask: (row) => this.#findingsOf(row),
    });
    this.sources = [{ kind: 'users', periodMs: 60_000, call: () => this.#load() }, this.#look.source];
  }

  hidden(): void {
    this.#look.stop();
  }

  head(): string {
    const { say } = this.#desk;
    const filter = this.#filter.shown(this.#desk);
    return say(
      both('filter: {filter}   {total} {total:user|users}', '筛选：{filter}   共 {total} 个用户', {
        filter,
        total: this.#list.total,
      }),
    );
  }

  body(size: Size): readonly string[] {
    return this.#view.lines(this.#desk, {
      columns: this.#columns,
      size,
      detail: (row) => userDetail(this.#desk, row, this.#look.of(row)),
    });
  }

  async #findingsOf({ id, username }: UserView): Promise<UserFindings> {
    const { usageReports, budgets } = this.#desk.client;
    const [{ items: models }, { items: limits }] = await Promise.all([
      usageReports.report({ by: 'model', username }),
      budgets.list({ on: `user:${id}` }),
    ]);
    return { models, budgets: limits };
  }

  async #load(): Promise<void> {
    const { client } = this.#desk;
    const take = this.#list.taking();
    const { named, text } = this.#filter.words;
    const window = { page: this.#list.page, page_size: pageRows };
    const role = named.role === undefined ? undefined : roleNumbers[named.role];
    const status = named.status === undefined ? undefined : statusNumbers[named.status];
    const filter = {
      ...(text === '' ? {} : { keyword: text }),
      ...(named.group === undefined ? {} : { group: named.group }),
      ...(role === undefined ? {} : { role }),
      ...(status === undefined ? {} : { status }),
    };
    const isFiltered = Object.keys(filter).length > 0;
    const { items, total } = isFiltered
      ? await client.users.search({ ...filter, ...window })
      : await client.users.list(window);
    take(items, total);
    this.#look.soon();
  }

  #restart(): void {
    this.#list.restart();
    this.#refresher.refresh('users');
  }

  /** The user that may be changed; a deleted one may not. */
  #live(): UserView | undefined {
    const { current } = this.#list;
    if (current?.DeletedAt)
      this.#desk.tell(both(`${current.username} is deleted`, `${current.username} 已删除`), { tone: 'bad' });
    return current?.DeletedAt ? undefined : current;
  }

  #switch(): void {
    const row = this.#live();
    if (row === undefined) return;
    const action = row.status === 1 ? 'disable' : 'enable';
    const { id, username } = row;
    const work = () =>
      void this.#desk.act(`tollgate user ${action} ${id}`, async () => {
        const changed = await this.#desk.client.users.manage({ id, action });
        if ('status' in changed) this.#list.replace({ ...row, ...changed });
        return action === 'enable'
          ? both(`${username} is enabled`, `已启用 ${username}`)
          : both(`${username} is disabled`, `已禁用 ${username}`);
      });
    if (action === 'enable') work();
    else
      this.#desk.confirm(
        both(`Disable ${username}: no sign-in, no calls?`, `禁用 ${username}：不能登录，也不能调用？`),
        work,
      );
  }

  #askRole(action: 'promote' | 'demote'): void {
    const row = this.#live();
    if (row === undefined) return;
    const { id, username } = row;
    const question = {
      promote: both(`Make ${username} an administrator?`, `将 ${username} 提升为管理员？`),
      demote: both(`Make ${username} a normal user?`, `将 ${username} 降为普通用户？`),
    }[action];
    this.#desk.confirm(
      question,
      () =>
        void this.#desk.act(`tollgate user ${action} ${id} --yes`, async () => {
          const changed = await this.#desk.client.users.manage({ id, action });
          if ('role' in changed) this.#list.replace({ ...row, ...changed });
          return action === 'promote'
            ? both(`${username} is an administrator`, `${username} 已是管理员`)
            : both(`${username} is a normal user`, `${username} 已是普通用户`);
        }),
    );
  }

  #askDelete(): void {
    const row = this.#live();
    if (row === undefined) return;
    const { id, username } = row;
    this.#desk.askFor(
      username,
      both(`Type ${username} to delete the account:`, `输入 ${username} 以删除该账户：`),
      () =>
        void this.#desk.act(`tollgate user delete ${id} --yes`, async () => {
          await this.#desk.client.users.manage({ id, action: 'delete' });
          this.#refresher.refresh();
          return both(`${username} is deleted`, `已删除 ${username}`);
        }),
    );
  }

  #askAmount(): void {
    const row = this.#live();
    if (row === undefined) return;
    const label = both(
      `${row.username}: 10usd adds, -5usd takes, =20usd sets:`,
      `${row.username}：10usd 增加，-5usd 扣除，=20usd 设为：`,
    );
    this.#desk.ask(label, (line) => {
      if (line.trim() !== '') void this.#changeBalance(row, line.trim());
    });
  }

  async #changeBalance(row: UserView, line: string): Promise<void> {
    const { context, client, money } = this.#desk;
    const { mode, verb } = modeOf(line);
    const amount = line.replace(/^[-+=]/, '').trim();
    try {
      const value = await context.money(amount, 'money');
      const shown = money(value);
      const { id, username } = row;
      const question = {
        add: both(`Add ${shown} to ${username}?`, `给 ${username} 增加 ${shown}？`),
        subtract: both(`Take ${shown} from ${username}?`, `从 ${username} 扣除 ${shown}？`),
        override: both(`Set the balance of ${username} to ${shown}?`, `把 ${username} 的余额设为 ${shown}？`),
      }[mode];
      this.#desk.confirm(
        question,
        () =>
          void this.#desk.act(`tollgate user quota ${verb} ${id} ${amount}`, async () => {
            const answer = await client.users.manage({ id, action: 'add_quota', mode, value });
            if ('quota' in answer) this.#list.replace({ ...row, quota: answer.quota });
            const balance = 'quota' in answer ? money(answer.quota) : '';
            return both(`${username} has ${balance}`, `${username} 的余额为 ${balance}`);
          }),
      );
    } catch (failure) {
      await this.#desk.fail(failure);
    }
  }
}

function modeOf(line: string) {
  if (line.startsWith('-')) return { mode: 'subtract', verb: 'subtract' } as const;
  return line.startsWith('=') ? ({ mode: 'override', verb: 'set' } as const) : ({ mode: 'add', verb: 'add' } as const);
}

function unknownWord({ named: { role, status } }: FilterWords<(typeof filterNames)[number]>) {
  if (role !== undefined && roleNumbers[role] === undefined) return both(`no role ${role}`, `没有角色 ${role}`);
  return status !== undefined && statusNumbers[status] === undefined
    ? both(`no status ${status}`, `没有状态 ${status}`)
    : undefined;
}
