/** Codes one by one: those of a name, or all; found, switched and deleted. */
import type { RedemptionView } from '../../daemon/contract/redemptions.ts';
import { statusNumbers } from '../commands/redemption-rows.ts';
import { both } from '../language.ts';
import { maskKey } from '../views.ts';
import type { Desk } from './desk.ts';
import { FilterLine } from './filter-words.ts';
import type { ActionOf } from './keys.ts';
import { type ListColumn, labelled, type Size } from './layout.ts';
import { pageRows } from './list-state.ts';
import { ListView } from './list-view.ts';
import type { Refresher, Source } from './refresh.ts';
import type { Screen } from './screen.ts';

const filterNames = ['status'] as const;

export class BatchCodesPage implements Screen {
  readonly id = 'batch-codes';
  readonly #view = new ListView<RedemptionView>({
    keyOf: (row) => row.id,
    turned: () => this.#refresher.refresh(),
    left: () => {
      if (this.#filter.text === '') this.#desk.closePage(this);
      else this.#filter.clear(this.#desk);
    },
  });
  readonly #list = this.#view.list;
  readonly #filter = new FilterLine({
    names: filterNames,
    label: both('filter (id, whole code, status=):', '筛选（编号、完整兑换码、status=）：'),
    check: ({ named: { status } }) =>
      status !== undefined && statusNumbers[status] === undefined
        ? both(`no status ${status}`, `没有状态 ${status}`)
        : undefined,
    changed: () => this.#restart(),
  });
  readonly sources: readonly Source[] = [{ kind: 'batch-codes', periodMs: 60_000, call: () => this.#load() }];
  readonly actions: Readonly<Record<ActionOf<'batch-codes'>, () => void>> = {
    ...this.#view.actions,
    filter: () => this.#filter.ask(this.#desk),
    switch: () => this.#switch(),
    delete: () => this.#askDelete(),
  };
  readonly #name: string | undefined;
  readonly #desk: Desk;
  readonly #refresher: Refresher;
  readonly #columns: readonly ListColumn<RedemptionView>[];

  /** @param name of the codes; undefined for all */
  constructor(desk: Desk, refresher: Refresher, name: string | undefined) {
    this.#name = name;
    this.#desk = desk;
    this.#refresher = refresher;
    this.#columns = codeColumns(desk);
  }

  head(): string {
    const { say } = this.#desk;
    const filter = this.#filter.shown(this.#desk);
    const which = this.#name === undefined ? say(both('all codes', '全部兑换码')) : this.#name;
    return say(
      both(
        '{which}   filter: {filter}   {total} {total:code|codes}',
        '{which}   筛选：{filter}   共 {total} 个兑换码',
        { which, filter, total: this.#list.total },
      ),
    );
  }

  body(size: Size): readonly string[] {
    return this.#view.lines(this.#desk, {
      columns: this.#columns,
      size,
      detail: (row) => this.#detail(row),
    });
  }

  #detail(row: RedemptionView): readonly string[] {
    const { say, money, context } = this.#desk;
    const time = (seconds: number) => (seconds > 0 ? String(context.timeText(seconds)) : '-');
    return [
      ` ${row.id}  ${row.name}`,
      '',
      labelled(say(both('code', '兑换码')), maskKey(row.key)),
      labelled(say(both('status', '状态')), statusOf(row, this.#desk)),
      labelled(say(both('value', '额度')), money(row.quota)),
      labelled(say(both('uses', '使用')), usesOf(row)),
      labelled(say(both('used by', '使用者')), row.used_user_id > 0 ? String(row.used_user_id) : '-'),
      labelled(say(both('created', '创建')), time(row.created_time)),
      labelled(say(both('used', '兑换')), time(row.redeemed_time)),
      labelled(say(both('from', '生效')), time(row.valid_from)),
      labelled(say(both('until', '失效')), time(row.valid_until)),
    ];
  }

  async #load(): Promise<void> {
    const take = this.#list.taking();
    const { client } = this.#desk;
    const { named, text } = this.#filter.words;
    const filter = {
      name: this.#name,
      status: named.status === undefined ? undefined : statusNumbers[named.status],
      page: this.#list.page,
      page_size: pageRows,
    };
    const { items, total } =
      text === ''
        ? await client.redemptions.list(filter)
        : await client.redemptions.search({ ...filter, keyword: text });
    take(items, total);
  }

  #restart(): void {
    this.#list.restart();
    this.#refresher.refresh();
  }

  #switch(): void {
    const { current } = this.#list;
    if (current === undefined) return;
    const { id, name } = current;
    const status = current.status === 1 ? 2 : 1;
    const verb = status === 1 ? 'enable' : 'disable';
    void this.#desk.act(`tollgate redemption ${verb} ${id}`, async () => {
      this.#list.replace(await this.#desk.client.redemptions.update({ id, status, status_only: 'true' }));
      return status === 1
        ? both(`code ${id} ${name} is enabled`, `已启用兑换码 ${id} ${name}`)
        : both(`code ${id} ${name} is disabled`, `已禁用兑换码 ${id} ${name}`);
    });
  }

  #askDelete(): void {
    const { current } = this.#list;
    if (current === undefined) return;
    const { id, name } = current;
    this.#desk.confirm(both(`Delete code ${id} ${name}?`, `删除兑换码 ${id} ${name}？`), () => {
      void this.#desk.act(`tollgate redemption delete ${id}`, async () => {
        await this.#desk.client.redemptions.delete({ id });
        this.#view.close();
        this.#refresher.refresh();
        return both(`code ${id} ${name} is deleted`, `已删除兑换码 ${id} ${name}`);
      });
    });
  }
}

/** A code that nobody can use (any more) steps back. */
const unusable = ({ status }: RedemptionView) => (status === 1 ? undefined : 'dim');

function statusOf({ status }: RedemptionView, { say }: Desk): string {
  if (status === 1) return say(both('unused', '未使用'));
  return status === 2 ? say(both('disabled', '已禁用')) : say(both('used', '已使用'));
}

function usesOf({ is_gift, used_count, max_uses }: RedemptionView): string {
  return is_gift ? `${used_count}/${max_uses === -1 ? '∞' : max_uses}` : String(used_count);
}

function codeColumns(desk: Desk): readonly ListColumn<RedemptionView>[] {
  const { say, money, context } = desk;
  const day = (seconds: number) => (seconds > 0 ? String(context.timeText(seconds)).slice(0, 16) : '');
  return [
    { heading: 'ID', width: 6, align: 'right', priority: 1, value: (row) => row.id },
    { heading: say(both('NAME', '名称')), width: 12, priority: 1, grows: true, value: (row) => row.name },
    { heading: say(both('CODE', '兑换码')), width: 12, priority: 4, value: (row) => maskKey(row.key) },
    {
      heading: say(both('STATUS', '状态')),
      width: 8,
      priority: 2,
      value: (row) => statusOf(row, desk),
      tone: unusable,
    },
    { heading: say(both('VALUE', '额度')), width: 10, align: 'right', priority: 2, value: (row) => money(row.quota) },
    { heading: say(both('USES', '使用')), width: 6, align: 'right', priority: 5, value: usesOf },
    {
      heading: say(both('BY', '使用者')),
      width: 6,
      align: 'right',
      priority: 7,
      value: (row) => row.used_user_id || '',
    },
    { heading: say(both('CREATED', '创建')), width: 16, priority: 6, value: (row) => day(row.created_time) },
    { heading: say(both('UNTIL', '失效')), width: 16, priority: 8, value: (row) => day(row.valid_until) },
  ];
}
