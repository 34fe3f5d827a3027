/** The keys of one channel: added, tested, switched, shown and removed one by one. */
import pMap from 'p-map';
import type { ChannelKeyView } from '../../daemon/contract/channel-keys.ts';
import type { ChannelView } from '../../daemon/contract/channels.ts';
import { testedAs } from '../commands/channel-test.ts';
import { both } from '../language.ts';
import { stateOf, toneOf } from './channel-lines.ts';
import type { Desk } from './desk.ts';
import type { Form } from './form.ts';
import type { ActionOf } from './keys.ts';
import type { ListColumn, Size } from './layout.ts';
import { listLines } from './list-lines.ts';
import { movesOf } from './list-moves.ts';
import { ListState } from './list-state.ts';
import { RecordForm } from './record-form.ts';
import type { Refresher, Source } from './refresh.ts';
import type { Screen } from './screen.ts';

const testsAtOnce = 4;

export class ChannelKeysPage implements Screen {
  readonly id = 'channel-keys';
  readonly #list = new ListState<ChannelKeyView>((row) => row.key_hash);
  readonly sources: readonly Source[] = [{ kind: 'channel-keys', periodMs: 15_000, call: () => this.#load() }];
  readonly actions: Readonly<Record<ActionOf<'channel-keys'>, () => void>> = {
    ...movesOf(this.#list, { height: () => this.#height, turned: () => undefined }),
    add: () => this.#openForm(),
    test: () => void this.#test(this.#list.chosen),
    'test-all': () => void this.#test(this.#list.rows),
    switch: () => this.#switch(this.#list.chosen),
    copy: () => this.#copy(),
    delete: () => this.#remove(this.#list.chosen),
    select: () => this.#list.mark(),
    'select-all': () => this.#list.markAll(),
    back: () => this.#desk.closePage(this),
  };
  form: Form | undefined;
  readonly #desk: Desk;
  readonly #refresher: Refresher;
  readonly #channel: ChannelView;
  /** What the tests of just now found, by key. */
  readonly #tested = new Map<string, string>();
  #height = 10;

  constructor(desk: Desk, refresher: Refresher, channel: ChannelView) {
    this.#desk = desk;
    this.#refresher = refresher;
    this.#channel = channel;
  }

  head(): string {
    const { id, name } = this.#channel;
    const usable = this.#list.rows.filter(({ status }) => status === 1).length;
    const others = this.#list.rows.length - usable;
    return this.#desk.say(
      both(
        `Keys of ${id} ${name}: ${usable} usable, ${others} disabled`,
        `渠道 ${id} ${name} 的密钥：可用 ${usable}，禁用 ${others}`,
      ),
    );
  }

  body({ width, height }: Size): readonly string[] {
    this.#height = Math.max(1, height - 2);
    return listLines(this.#desk, this.#list, { columns: this.#columns(), size: { width, height } });
  }

  #columns(): readonly ListColumn<ChannelKeyView>[] {
    const { say, context } = this.#desk;
    const now = Date.now() / 1000;
    const facts = ({ status, cool_until }: ChannelKeyView) => ({
      status,
      cooling: Math.max(0, Math.ceil(cool_until - now)),
    });
    const state = (row: ChannelKeyView) => stateOf(facts(row), say);
    const used = ({ last_used }: ChannelKeyView) => (last_used > 0 ? String(context.agoText(last_used)) : '');
    return [
      { heading: '#', width: 4, align: 'right', priority: 1, value: (row) => row.position + 1 },
      { heading: say(both('KEY', '密钥')), width: 8, priority: 1, value: (row) => `…${row.tail}` },
      { heading: say(both('STATUS', '状态')), width: 14, priority: 1, value: state, tone: (row) => toneOf(facts(row)) },
      {
        heading: say(both('TEST', '测试')),
        width: 22,
        priority: 2,
        value: (row) => this.#tested.get(row.key_hash) ?? '',
      },
      { heading: say(both('LAST USED', '最近使用')), width: 16, priority: 4, value: used },
      {
        heading: say(both('ERROR', '错误')),
        width: 10,
        priority: 3,
        grows: true,
        value: (row) => row.reason || row.last_error,
      },
    ];
  }

  async #load(): Promise<void> {
    this.#list.show(await this.#desk.client.channels.keys({ id: this.#channel.id }));
  }

  #openForm(): void {
    const { id, name } = this.#channel;
    this.form = new RecordForm<'key'>({
      desk: this.#desk,
      title: both(`Add keys to ${name}; those there are stay`, `向 ${name} 追加密钥，已有的保持不变`),
      fields: [
        {
          name: 'key',
          label: both('Key', '密钥'),
          hint: both('or env:NAME, @file', '或 env:NAME、@文件'),
          isSecret: true,
          lineBreak: '\n',
        },
      ],
      command: () => `tollgate channel key add ${id} --key -`,
      save: async (words) => {
        const key = await this.#desk.context.secret(words('key'), '--key');
        const { added, known } = await this.#desk.client.channels.addKeys({ id, key });
        this.#refresher.refresh();
        return both(
          '{added} {added:key|keys} added, {known} {known:was|were} there',
          '新增 {added} 个密钥，已有 {known} 个',
          { added, known },
        );
      },
      onEnd: () => {
        this.form = undefined;
        this.#desk.changed('key');
      },
    });
  }

  async #test(rows: readonly ChannelKeyView[]): Promise<void> {
    const { id } = this.#channel;
    const desk = this.#desk;
    const { say, client } = desk;
    for (const { key_hash } of rows) this.#tested.set(key_hash, '…');
    await desk.act(`tollgate channel key test ${id} ${namesOf(rows)}`, async () => {
      const outcomes = await pMap(
        rows,
        async ({ key_hash }) => {
          const { ok, time, message } = await testedAs(client.channels.testKey({ id, key_hash }));
          this.#tested.set(key_hash, ok ? `${say(both('ok', '成功'))} ${time.toFixed(2)} s` : message);
          desk.changed();
          return ok;
        },
        { concurrency: testsAtOnce },
      );
      const failed = outcomes.filter((ok) => !ok).length;
      const text = both('{passed} {passed:key|keys} passed, {failed} failed', '{passed} 个密钥通过，{failed} 个失败', {
        passed: outcomes.length - failed,
        failed,
      });
      return failed === 0 ? text : { tone: 'bad', text };
    });
    this.#refresher.refresh();
  }

  #switch(rows: readonly ChannelKeyView[]): void {
    const [first] = rows;
    if (first === undefined) return;
    const { id } = this.#channel;
    const status = first.status === 1 ? 2 : 1;
    const verb = status === 1 ? 'enable' : 'disable';
    const work = () =>
      void this.#desk.act(`tollgate channel key ${verb} ${id} ${namesOf(rows)}`, async () => {
        for (const { key_hash } of rows)
          this.#list.replace(await this.#desk.client.channels.setKey({ id, key_hash, status }));
        return status === 1
          ? both('{count} {count:key is|keys are} enabled', '已启用 {count} 个密钥', { count: rows.length })
          : both('{count} {count:key is|keys are} disabled', '已禁用 {count} 个密钥', { count: rows.length });
      });
    if (status === 1 || rows.length === 1) work();
    else this.#desk.confirm(both(`Disable ${rows.length} keys?`, `禁用 ${rows.length} 个密钥？`), work);
  }

  #remove(rows: readonly ChannelKeyView[]): void {
    if (rows.length === 0) return;
    const { id, name } = this.#channel;
    const many = rows.length;
    this.#desk.confirm(
      both('Remove {many} {many:key|keys} of {name}?', '移除渠道 {name} 的 {many} 个密钥？', { many, name }),
      () =>
        void this.#desk.act(`tollgate channel key remove ${id} ${namesOf(rows)} --yes`, async () => {
          const key_hashes = rows.map(({ key_hash }) => key_hash);
          const count = await this.#desk.client.channels.removeKeys({ id, key_hashes });
          this.#list.marked.clear();
          this.#refresher.refresh();
          return both('{count} {count:key|keys} removed', '已移除 {count} 个密钥', { count });
        }),
    );
  }

  #copy(): void {
    const { current } = this.#list;
    if (current === undefined) return;
    const { id, name } = this.#channel;
    const { key_hash, position } = current;
    this.#desk.confirm(
      both(
        `Show key #${position + 1} of ${name}? This is audited.`,
        `显示 ${name} 的第 ${position + 1} 个密钥？此操作会写入审计。`,
      ),
      () =>
        void this.#desk.act(`tollgate channel key reveal ${id} ${key_hash} --reveal`, async () => {
          const { key } = await this.#desk.client.channels.revealKey({ id, key_hash });
          this.#desk.copy(key);
          return both(`on the clipboard: ${key}`, `已复制：${key}`);
        }),
    );
  }
}

function namesOf(rows: readonly ChannelKeyView[]): string {
  return rows.map(({ key_hash }) => key_hash).join(' ');
}
