/**
 * What becomes of tasks after their submission: each step of their progress, and their charge when they fail (relay.md
 * 8.8). Polls of several nodes, callbacks and replays may all bring the same news; whoever ends a task refunds it.
 */
import type { Language } from '../contract/error-codes.ts';
import type { OptionsView } from '../contract/options.ts';
import type { Database, Stores } from '../store/database.ts';
import type { NewLogRow } from '../store/logs.ts';
import type { BudgetPeriods } from './budget-periods.ts';
import { budgetRefunds } from './budget-refunds.ts';
import { eventRow, refundTask } from './ledger-credits.ts';
import { quotaText } from './quota-text.ts';

/** A task as far as its charge is concerned. */
export interface ChargedTask {
  readonly id: number;
  readonly userId: number;
  /** 0 when no token paid. */
  readonly tokenId: number;
  readonly channelId: number;
  readonly requestId: string;
  /** What it cost; 0 once that was given back. */
  readonly quota: number;
  /** The part that the token's own quota paid. */
  readonly tokenQuota: number;
  readonly action: string;
  readonly status: string;
  readonly failReason: string;
}

/** The table of one kind of task. */
export interface TaskTable<Row extends ChargedTask, Progress> {
  /** Changes a task that is not final; undefined when it is. */
  advance(id: number, progress: Progress): Promise<Row | undefined>;
  /** Notes that the charge was given back. */
  clearCharge(id: number): Promise<void>;
}

/** One kind of task. */
export interface TaskKind<Row extends ChargedTask, Progress> {
  table(stores: Stores): TaskTable<Row, Progress>;
  /** The id that the task's owner knows it by. */
  idOf(row: Row): string;
  /** The model that it was billed as. */
  modelOf(row: Row): string;
}

export interface TaskBooksDeps {
  readonly database: Database;
  readonly options: () => OptionsView;
  /** Of log rows, which are read later by others. */
  readonly language: Language;
  readonly nowSeconds: () => number;
  readonly periods: BudgetPeriods;
}

const HOUR_SECONDS = 3600;

const refundText = {
  en: (action: string, id: string, amount: string) => `${action} task ${id} failed, refunded ${amount}`,
  zh: (action: string, id: string, amount: string) => `${action} 任务 ${id} 失败，退还 ${amount}`,
} as const satisfies Record<Language, (...parts: string[]) => string>;

const failureText = {
  en: (action: string, id: string) => `${action} task ${id} failed`,
  zh: (action: string, id: string) => `${action} 任务 ${id} 失败`,
} as const satisfies Record<Language, (...parts: string[]) => string>;

/** Undoes a change that came before the charge of its task. */
class Uncharged extends Error {}

export class TaskBooks {
  readonly #deps: TaskBooksDeps;

  constructor(deps: TaskBooksDeps) {
    this.#deps = deps;
  }

  /**
   * Writes what is new of a task; the charge of one that fails by it goes back to user, token and counters in the same
   * transaction. Undefined when nothing was changed: the task was final before, or its charge is still on its way into
   * the books, so that the news have to come once more.
   * @param news.reason of a failure, for operators, where the task's row says less
   */
  async advance<Row extends ChargedTask, Progress>(
    kind: TaskKind<Row, Progress>,
    id: number,
    { progress, reason }: { readonly progress: Progress; readonly reason?: string | undefined },
  ): Promise<Row | undefined> {
    try {
      return await this.#deps.database.transaction(async (stores) => {
        const table = kind.table(stores);
        const task = await table.advance(id, progress);
        if (task?.status === 'FAILURE') await this.#end(stores, kind, { table, task, reason });
        return task;
      });
    } catch (error) {
      if (error instanceof Uncharged) return undefined;
      throw error;
    }
  }

  async #end<Row extends ChargedTask, Progress>(
    stores: Stores,
    kind: TaskKind<Row, Progress>,
    { table, task, reason }: { table: TaskTable<Row, Progress>; task: Row; reason: string | undefined },
  ): Promise<void> {
    const charged = task.quota === 0 ? 0 : await this.#clearCharge(stores, table, task);
    const ended = { ...task, quota: charged, failReason: reason ?? task.failReason };
    if (charged > 0) {
      await this.#giveBack(stores, kind, ended);
    } else if (ended.failReason !== task.failReason) {
      // No refund tells operators what the task's owner may not read (REQ-33).
      const content = failureText[this.#deps.language](task.action, kind.idOf(task));
      await stores.logs.insert([await this.#rowOf(stores, kind, { task: ended, content })]);
    }
  }

  /** What the books say was charged for it. */
  async #clearCharge(
    stores: Stores,
    table: Pick<TaskTable<ChargedTask, never>, 'clearCharge'>,
    { id, requestId, quota }: ChargedTask,
  ): Promise<number> {
    const hold = await stores.reservations.find(requestId);
    if (hold?.state === 'open') throw new Uncharged();
    await table.clearCharge(id);
    // A node that died between remembering and billing the task has charged nothing.
    return hold === undefined ? quota : Math.min(quota, hold.charged ?? 0);
  }

  async #giveBack<Row extends ChargedTask, Progress>(
    stores: Stores,
    kind: TaskKind<Row, Progress>,
    task: Row,
  ): Promise<void> {
    const { options, language } = this.#deps;
    const { userId, tokenId, channelId, requestId, quota: amount, tokenQuota, action } = task;
    const content = refundText[language](action, kind.idOf(task), quotaText(amount, options()));
    const row = await this.#rowOf(stores, kind, { task, content });
    await refundTask(stores, {
      userId,
      tokenId,
      tokenLimited: tokenQuota > 0,
      channelId,
      amount,
      budgets: await budgetRefunds(stores, this.#deps.periods, { requestId, userId, tokenId, channelId, amount }),
      row,
    });
    if (!options().get('DataExportEnabled')) return;
    const { username, modelName } = row;
    const createdAt = row.createdAt - (row.createdAt % HOUR_SECONDS);
    await stores.quotaData.add([{ userId, username, modelName, createdAt, tokenUsed: 0, count: 0, quota: -amount }]);
  }

  async #rowOf<Row extends ChargedTask, Progress>(
    stores: Stores,
    kind: TaskKind<Row, Progress>,
    { task, content }: { readonly task: Row; readonly content: string },
  ): Promise<NewLogRow> {
    const { userId, tokenId, channelId, requestId, quota, failReason } = task;
    const nowSeconds = this.#deps.nowSeconds();
    const username = (await stores.users.find(userId))?.username ?? '';
    const token = tokenId === 0 ? undefined : await stores.tokens.find(tokenId);
    const event = { userId, username, type: 4 as const, content, quota, nowSeconds, requestId };
    const adminInfo = failReason === '' ? {} : { adminInfo: { fail_reason: failReason } };
    const tokenName = token?.name ?? '';
    return { ...eventRow({ ...event, ...adminInfo }), modelName: kind.modelOf(task), tokenId, tokenName, channelId };
  }
}
