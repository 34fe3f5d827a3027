/** What can be done with channels from their screen: the calls behind its keys, and what is asked before them. */
import pMap from 'p-map';
import type { ChannelView } from '../../daemon/contract/channels.ts';
import { hasDesktop, openInBrowser } from '../browser.ts';
import { allChannels } from '../commands/channel-reference.ts';
import { isUntestable, testedAs } from '../commands/channel-test.ts';
import { consoleAddress } from '../commands/open.ts';
import { refuseGeneralFailure } from '../items.ts';
import { type Bilingual, both } from '../language.ts';
import { stateOf, type TestResult } from './channel-lines.ts';
import { quoted } from './command-words.ts';
import type { Desk, Verdict } from './desk.ts';
import type { ListState } from './list-state.ts';
import { openOutput } from './palette.ts';
import type { Refresher } from './refresh.ts';

export interface ChannelDeedsDeps {
  readonly desk: Desk;
  readonly refresher: Refresher;
  readonly list: ListState<ChannelView>;
  /** Told when what was found out about channels is no longer so. */
  readonly onTested: () => void;
  /** Told when a channel is deleted. */
  readonly onGone: () => void;
}

const testsAtOnce = 4;

export class ChannelDeeds {
  readonly #deps: ChannelDeedsDeps;
  /** Of the tests of just now. */
  results: readonly TestResult[] = [];

  constructor(deps: ChannelDeedsDeps) {
    this.#deps = deps;
  }

  async test(rows: readonly ChannelView[]): Promise<void> {
    if (rows.length === 0) return;
    const { client } = this.#deps.desk;
    const ids = new Set(rows.map(({ id }) => id));
    // Tests of before may still run: they are told of by themselves.
    const others = this.results.filter(({ id, ok }) => ok === undefined && !ids.has(id));
    this.results = [...others, ...rows.map(({ id, name }) => ({ id, name, ok: undefined, text: '' }))];
    const command = `tollgate channel test ${rows.map(({ id }) => id).join(' ')}`;
    await this.#deps.desk.act(command, async () => {
      const refusals: unknown[] = [];
      const results = await pMap(
        rows,
        async ({ id, name }): Promise<TestResult> => {
          const tested = await testedAs(client.channels.test({ id }));
          if (tested.refusal !== undefined) refusals.push(tested.refusal);
          const found = resultOf({ id, name }, tested, rows.length);
          this.results = this.results.map((result) => (result.id === id ? found : result));
          this.#deps.desk.changed();
          return found;
        },
        { concurrency: testsAtOnce },
      );
      if (refusals.length === rows.length) await this.#refuseAll(ids, refusals);
      return verdictOn(results);
    });
    this.#deps.onTested();
    this.#deps.refresher.refresh();
  }

  /** Throws what kept every test from being made where that is nothing about the channels: none of them has failed. */
  async #refuseAll(ids: ReadonlySet<number>, refusals: readonly unknown[]): Promise<void> {
    try {
      await refuseGeneralFailure(this.#deps.desk.context, refusals);
    } catch (failure) {
      this.results = this.results.filter(({ id }) => !ids.has(id));
      throw failure;
    }
  }

  switch(rows: readonly ChannelView[]): void {
    const [first] = rows;
    if (first === undefined) return;
    const status = first.status === 1 ? 2 : 1;
    const verb = status === 1 ? 'enable' : 'disable';
    const ids = rows.map(({ id }) => id);
    const work = () =>
      void this.#deps.desk.act(`tollgate channel ${verb} ${ids.join(' ')}`, async () => {
        for (const id of ids) this.#deps.list.replace(await this.#deps.desk.client.channels.setStatus({ id, status }));
        this.#deps.refresher.refresh('channels');
        const state = stateOf({ status, cooling: 0 }, this.#deps.desk.say);
        return rows.length === 1
          ? both(`${first.id} ${first.name} is ${state}`, `${first.id} ${first.name} 已${state}`)
          : both(`${rows.length} channels are ${state}`, `${rows.length} 个渠道已${state}`);
      });
    if (rows.length === 1) work();
    else
      this.#deps.desk.confirm(
        status === 1
          ? both(`Enable ${rows.length} channels?`, `启用 ${rows.length} 个渠道？`)
          : both(`Disable ${rows.length} channels?`, `禁用 ${rows.length} 个渠道？`),
        work,
      );
  }

  balance({ id, name }: ChannelView): void {
    void this.#deps.desk.act(`tollgate channel balance ${id}`, async () => {
      const { balance } = await this.#deps.desk.client.channels.updateBalance({ id });
      this.#deps.refresher.refresh('channels');
      return both(`${id} ${name} has $${balance}`, `${id} ${name} 余额 $${balance}`);
    });
  }

  delete({ id, name }: ChannelView): void {
    this.#deps.desk.askFor(
      name,
      both(`Type ${name} to delete channel ${id}:`, `输入 ${name} 以删除渠道 ${id}：`),
      () =>
        void this.#deps.desk.act(`tollgate channel delete ${id} --yes`, async () => {
          await this.#deps.desk.client.channels.deleteBatch({ ids: [id] });
          this.#deps.onGone();
          this.#deps.refresher.refresh('channels');
          return both(`channel ${id} ${name} is deleted`, `已删除渠道 ${id} ${name}`);
        }),
    );
  }

  /** All that are not disabled by hand, as `channel test --all` takes them. */
  async testAll(): Promise<void> {
    const { desk } = this.#deps;
    const rows: ChannelView[] = [];
    try {
      for await (const row of allChannels(desk.context)) if (row.status !== 2) rows.push(row);
    } catch (failure) {
      await desk.fail(failure);
      return;
    }
    const question = both(
      'Test {count} {count:channel with one call|channels, one call each}?',
      '测试 {count} 个渠道，每个调用一次？',
      { count: rows.length },
    );
    if (rows.length > 0) desk.confirm(question, () => void this.test(rows));
  }

  /** Asks for a tag; nothing takes it away. */
  tag(rows: readonly ChannelView[]): void {
    const { desk, refresher } = this.#deps;
    const ids = rows.map(({ id }) => id);
    const [first] = rows;
    if (first === undefined) return;
    desk.ask(
      both('tag of {count} {count:channel|channels}; empty for none:', '{count} 个渠道的标签，留空为清除：', {
        count: ids.length,
      }),
      (line) => {
        const tag = line.trim();
        const command =
          tag === ''
            ? `tollgate channel edit ${ids.join(' ')} --unset tag`
            : `tollgate channel tag set ${quoted(tag)} ${ids.join(' ')}`;
        void desk.act(command, async () => {
          const count = await desk.client.channels.setTags({ ids, tag });
          refresher.refresh('channels');
          return both('{count} {count:channel is|channels are} changed', '已更新 {count} 个渠道', { count });
        });
      },
      first.tag ?? '',
    );
  }

  /** Asks for a model, and shows where a call for it would go. */
  why({ models }: ChannelView): void {
    const { desk } = this.#deps;
    const [first = ''] = models.split(',');
    desk.ask(
      both('why, for the model:', '查询路由的模型：'),
      (line) => {
        const model = line.trim();
        if (model !== '') openOutput(desk, { line: `channel explain --model ${quoted(model)}` });
      },
      first,
    );
  }

  /** Its page of the console: in the browser, or its address on the clipboard where there is no desktop. */
  async open({ id }: ChannelView): Promise<void> {
    const { desk } = this.#deps;
    const { url } = await desk.context.target();
    const address = consoleAddress(url, 'channel', String(id));
    const command = `tollgate open channel ${id}`;
    if (hasDesktop(desk.context.environment)) {
      openInBrowser(address);
      desk.tell(both(`opened: ${address}`, `已打开：${address}`), { command });
    } else {
      desk.copy(address);
      desk.tell(both(`on the clipboard: ${address}`, `已复制：${address}`), { command });
    }
  }

  /** The key itself, which the server writes down. */
  copyKey({ id, name }: ChannelView): void {
    const { desk } = this.#deps;
    desk.confirm(
      both(`Show the keys of ${name}? This is audited.`, `显示 ${name} 的密钥？此操作会写入审计。`),
      () =>
        void desk.act(`tollgate channel key reveal ${id} --reveal`, async () => {
          const { key } = await desk.client.channels.revealKey({ id });
          desk.copy(key);
          return both(`on the clipboard, keys of ${name}: ${key}`, `已复制 ${name} 的密钥：${key}`);
        }),
    );
  }
}

/** @param asked how many are tested: of one alone it is said why, among others it is no failure */
function resultOf(
  channel: Pick<TestResult, 'id' | 'name'>,
  tested: Awaited<ReturnType<typeof testedAs>>,
  asked: number,
): TestResult {
  const { ok, time, code, message } = tested;
  if (ok) return { ...channel, ok, text: `${time.toFixed(2)} s` };
  const isOpen = asked > 1 && isUntestable(tested);
  return { ...channel, ok: isOpen ? 'untested' : false, text: `${message} (${code})` };
}

/** What is said of tests that have ended. */
function verdictOn(results: readonly TestResult[]): Bilingual | Verdict {
  const [first, ...more] = results.filter(({ ok }) => ok === false);
  if (first) {
    const { id, name, text } = first;
    const others = more.length > 0 ? ` (+${more.length})` : '';
    return {
      tone: 'bad',
      text: both(`${id} ${name} failed its test: ${text}${others}`, `${id} ${name} 测试失败：${text}${others}`),
    };
  }
  const [only] = results;
  if (results.length === 1 && only)
    return both(
      `${only.id} ${only.name} passed its test: ${only.text}`,
      `${only.id} ${only.name} 测试通过：${only.text}`,
    );
  const passed = results.filter(({ ok }) => ok === true).length;
  const left = results.length - passed;
  return left === 0
    ? both('{passed} {passed:channel passed its test|channels passed their tests}', '{passed} 个渠道测试通过', {
        passed,
      })
    : both(
        '{passed} {passed:channel|channels} passed; of {left} no test can tell',
        '{passed} 个渠道测试通过；{left} 个无法测试',
        { passed, left },
      );
}
