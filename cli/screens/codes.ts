/** The screen of redemption codes by the name they were made under: counted, switched off, deleted and written to files by name. */
import type { RedemptionBatchView } from '../../daemon/contract/redemptions.ts';
import { both } from '../language.ts';
import { BatchCodesPage } from './batch-codes-page.ts';
import { CodeWizard } from './code-wizard.ts';
import { quoted } from './command-words.ts';
import type { Desk } from './desk.ts';
import { FilterLine } from './filter-words.ts';
import type { Form } from './form.ts';
import type { ActionOf } from './keys.ts';
import { type ListColumn, labelled, type Size } from './layout.ts';
import { pageRows } from './list-state.ts';
import { ListView } from './list-view.ts';
import { openOutput } from './palette.ts';
import type { Refresher, Source } from './refresh.ts';
import type { Screen } from './screen.ts';

export class CodesScreen implements Screen {
  readonly id = 'codes';
  readonly #view = new ListView<RedemptionBatchView>({
    keyOf: (row) => row.name,
    turned: () => this.#refresher.refresh(),
    left: () => this.#filter.clear(this.#desk),
  });
  readonly #list = this.#view.list;
  readonly #filter = new FilterLine({
    names: [],
    label: both('filter (start of the name):', '筛选（名称开头）：'),
    changed: () => this.#restart(),
  });
  readonly sources: readonly Source[] = [{ kind: 'codes', periodMs: 60_000, call: () => this.#load() }];
  readonly actions: Readonly<Record<ActionOf<'codes'>, () => void>> = {
    ...this.#view.actions,
    open: () => this.#withCurrent(({ name }) => this.#openCodes(name)),
    all: () => this.#openCodes(undefined),
    filter: () => this.#filter.ask(this.#desk),
    new: () => {
      this.form = new CodeWizard(this.#desk, () => {
        this.form = undefined;
        this.#refresher.refresh();
        this.#desk.changed('key');
      });
    },
    disable: () => this.#withCurrent((row) => this.#askDisable(row)),
    delete: () => this.#withCurrent((row) => void this.#askDelete(row)),
    export: () => this.#withCurrent((row) => this.#askFile(row)),
  };
  form: Form | undefined;
  readonly #desk: Desk;
  readonly #refresher: Refresher;
  readonly #columns: readonly ListColumn<RedemptionBatchView>[];

  constructor(desk: Desk, refresher: Refresher) {
    this.#desk = desk;
    this.#refresher = refresher;
    this.#columns = batchColumns(desk);
  }

  head(): string {
    const { say } = this.#desk;
    const filter = this.#filter.shown(this.#desk);
    const { total } = this.#list;
    return say(
      both('filter: {filter}   {total} {total:batch|batches}', '筛选：{filter}   共 {total} 批', { filter, total }),
    );
  }

  body(size: Size): readonly string[] {
    return this.#view.lines(this.#desk, {
      columns: this.#columns,
      size,
      detail: (row) => this.#detail(row),
    });
  }

  #detail(row: RedemptionBatchView): readonly string[] {
    const { say, context } = this.#desk;
    const share = row.codes === 0 ? 0 : Math.round((100 * row.used) / row.codes);
    return [
      ` ${row.name}`,
      '',
      labelled(say(both('codes', '兑换码')), String(row.codes)),
      labelled(say(both('unused', '未使用')), String(row.unused)),
      labelled(say(both('used', '已使用')), `${row.used} (${share} %)`),
      labelled(say(both('disabled', '已禁用')), String(row.disabled)),
      labelled(say(both('uses', '使用次数')), String(row.used_count)),
      labelled(say(both('value', '额度')), worthOf(row, this.#desk)),
      labelled(say(both('newest', '最近生成')), String(context.timeText(row.created_time))),
    ];
  }

  async #load(): Promise<void> {
    const take = this.#list.taking();
    const { text } = this.#filter.words;
    const wish = { keyword: text === '' ? undefined : text, page: this.#list.page, page_size: pageRows };
    const { items, total } = await this.#desk.client.redemptions.batches(wish);
    take(items, total);
  }

  #restart(): void {
    this.#list.restart();
    this.#refresher.refresh();
  }

  #withCurrent(work: (row: RedemptionBatchView) => void): void {
    if (this.#list.current !== undefined) work(this.#list.current);
  }

  #openCodes(name: string | undefined): void {
    this.#desk.openPage(new BatchCodesPage(this.#desk, this.#refresher, name));
  }

  #askDisable({ name, unused }: RedemptionBatchView): void {
    if (unused === 0) {
      this.#desk.tell(both(`no code named ${name} is unused`, `名称为 ${name} 的兑换码均非未使用`));
      return;
    }
    const label = both(
      'Disable the {unused} unused {unused:code|codes} named {name}?',
      '禁用名称为 {name} 的 {unused} 个未使用兑换码？',
      { unused, name },
    );
    this.#desk.confirm(label, () =>
      openOutput(this.#desk, { line: `redemption disable --name ${quoted(name)} --yes` }),
    );
  }

  /** Writes the codes of a name into a file, as `redemption export` does. */
  #askFile({ name }: RedemptionBatchView): void {
    this.#desk.ask(
      both(`file for the codes named ${name}:`, `写入文件（名称为 ${name} 的兑换码）：`),
      (line) => {
        const file = line.trim();
        if (file === '') return;
        openOutput(this.#desk, { line: `redemption export --name ${quoted(name)} --out ${quoted(file)}` });
      },
      `${name.replace(/[/\\]/g, '-')}.csv`,
    );
  }

  async #askDelete({ name }: RedemptionBatchView): Promise<void> {
    const { client } = this.#desk;
    try {
      const count = await client.redemptions.countByName({ name });
      const label = both(
        'Type {name} to delete all {count} {count:code|codes} of that name:',
        '输入 {name} 以删除该名称的全部 {count} 个兑换码：',
        { name, count },
      );
      const command = `tollgate redemption delete-by-name ${quoted(name)} --confirm ${quoted(name)}`;
      this.#desk.askFor(name, label, () => {
        void this.#desk.act(command, async () => {
          const deleted = await client.redemptions.deleteByName({ name });
          this.#refresher.refresh();
          return both(
            '{deleted} {deleted:code|codes} named {name} {deleted:is|are} deleted',
            '已删除 {deleted} 个名称为 {name} 的兑换码',
            { deleted, name },
          );
        });
      });
    } catch (failure) {
      await this.#desk.fail(failure);
    }
  }
}

/** What each of the codes is worth. */
function worthOf({ least_quota, most_quota }: RedemptionBatchView, { money }: Desk): string {
  return least_quota === most_quota ? money(least_quota) : `${money(least_quota)}-${money(most_quota)}`;
}

function batchColumns(desk: Desk): readonly ListColumn<RedemptionBatchView>[] {
  const { say, context } = desk;
  const day = (seconds: number) => (seconds > 0 ? String(context.timeText(seconds)).slice(0, 16) : '');
  const figure = (heading: string, priority: number, value: (row: RedemptionBatchView) => string | number) =>
    ({ heading, width: 8, align: 'right', priority, value }) as const;
  return [
    { heading: say(both('NAME', '名称')), width: 12, priority: 1, grows: true, value: (row) => row.name },
    figure(say(both('CODES', '数量')), 3, (row) => row.codes),
    figure(say(both('UNUSED', '未使用')), 2, (row) => row.unused),
    figure(say(both('USED', '已使用')), 2, (row) => row.used),
    figure(say(both('DISABLED', '已禁用')), 5, (row) => row.disabled),
    { heading: say(both('VALUE', '额度')), width: 12, align: 'right', priority: 4, value: (row) => worthOf(row, desk) },
    { heading: say(both('CREATED', '创建')), width: 16, priority: 6, value: (row) => day(row.created_time) },
  ];
}
