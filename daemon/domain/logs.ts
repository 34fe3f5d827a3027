/** The usage log as administrators and users read it (management-api.md 3.14). Rows are written by the ledger. */
import type { Language } from '../contract/error-codes.ts';
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import type { LogFilter, LogRecord } from '../store/logs.ts';
import type { Page, Window } from '../store/paging.ts';
import type { Actor } from './actor.ts';
import { auditBy } from './audits.ts';
import { eventRow } from './ledger-credits.ts';
import { withBodies } from './log-bodies.ts';
import { userLogView } from './usage-log-view.ts';

export interface LogServiceDeps {
  readonly database: Database;
  readonly options: () => OptionsView;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
  /** Language of stored texts. */
  readonly siteLanguage: Language;
}

/** What a caller asks for; empty and absent members do not filter. */
export interface LogQuestion {
  /** 0 = all. */
  readonly type?: number | undefined;
  readonly username?: string | undefined;
  readonly token_name?: string | undefined;
  /** Exact; one trailing `%` makes it a prefix. */
  readonly model_name?: string | undefined;
  readonly start_timestamp?: number | undefined;
  readonly end_timestamp?: number | undefined;
  readonly channel?: number | undefined;
  readonly group?: string | undefined;
  readonly request_id?: string | undefined;
  readonly failed?: boolean | undefined;
  /** Rows written after the row of this id; only where ids are shown. */
  readonly after_id?: number | undefined;
}

export interface LogFigures {
  readonly quota: number;
  /** Requests of the last 60 seconds. */
  readonly rpm: number;
  /** Tokens of the last 60 seconds. */
  readonly tpm: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

const searchLimit = 100;
const tokenLimit = 1000;
/** Rows of an export that are read at once: taking over a thousand holds whoever else waits for tens of milliseconds. */
const exportPage = 250;
/** Rows of one request that are looked through for the one that is named. */
const mostOfRequest = 1000;
/** Rows of one delete statement, so that writers wait for milliseconds only. */
const deletedAtOnce = 1000;

export class LogService {
  readonly #deps: LogServiceDeps;

  constructor(deps: LogServiceDeps) {
    this.#deps = deps;
  }

  /** All rows, newest first. Looking at prompts and answers is audited (W46, D30). */
  async list(
    actor: Actor,
    question: LogQuestion,
    view: { readonly window: Window; readonly contents: 'hidden' | 'shown' },
  ): Promise<Page<LogRecord>> {
    const page = await this.#deps.database.stores.logs.list(filterOf(question), view.window);
    if (view.contents === 'hidden') return page;
    const act = { action: 'log.content_read', target: 'log', detail: { filter: question, rows: page.items.length } };
    const audit = auditBy(actor, act, this.#deps.nowSeconds());
    await this.#deps.database.transaction((stores) => stores.audits.append(audit));
    return { ...page, items: await this.#withBodies(page.items) };
  }

  /** The caller's rows with their own texts, newest first, as users may see them. */
  async listOwn(actor: Actor, question: LogQuestion, window: Window): Promise<Page<LogRecord>> {
    const page = await this.#deps.database.stores.logs.list(ownFilter(actor, question), window);
    return { ...page, items: this.asUser(await this.#withBodies(page.items)) };
  }

  /**
   * All rows of the filter without texts, newest first, page by page; only those behind a row where one is named. Rows
   * written meanwhile are not among them. Throws `invalid_params` for a row that is not there.
   */
  async export(question: LogQuestion, resumeAfter?: number): Promise<AsyncGenerator<LogRecord[]>> {
    const last = resumeAfter === undefined ? undefined : await this.#deps.database.stores.logs.find(resumeAfter);
    if (resumeAfter !== undefined && !last) throw new TollgateError('invalid_params', {}, { field: 'resume_after' });
    return this.#pages(filterOf(question), last);
  }

  /**
   * As `export`, the caller's rows as users may see them. As their ids are not unique, a row is named by its request, and
   * by its id behind a slash where that has several.
   */
  async exportOwn(actor: Actor, question: LogQuestion, resumeAfter?: string): Promise<AsyncGenerator<LogRecord[]>> {
    const last = resumeAfter === undefined ? undefined : await this.#ownRow(actor, resumeAfter);
    return this.#pagesAsUser(this.#pages(ownFilter(actor, question), last));
  }

  /** Sums over the consume rows of the filter, and the rates of the last minute. */
  async stat(question: LogQuestion): Promise<LogFigures> {
    return this.#figures(filterOf(question));
  }

  async statOwn(actor: Actor, question: LogQuestion): Promise<LogFigures> {
    return this.#figures(ownFilter(actor, question));
  }

  /** The newest 100 rows of a type, when the keyword is a number, else those whose content starts with it. */
  async search(keyword: string | undefined): Promise<LogRecord[]> {
    return this.#search(keyword ?? '', undefined);
  }

  async searchOwn(actor: Actor, keyword: string | undefined): Promise<LogRecord[]> {
    return this.asUser(await this.#search(keyword ?? '', actor.userId));
  }

  /** The newest 1000 rows of a relay key, as its user may see them. */
  async listByToken(token: { readonly id: number; readonly userId: number }): Promise<LogRecord[]> {
    const filter = { tokenId: token.id, userId: token.userId };
    return this.asUser(await this.#deps.database.stores.logs.listBefore(filter, { limit: tokenLimit }));
  }

  /**
   * Deletes rows and bodies from before the cut-off, a batch at a time; returns the number of rows. Throws `log_cutoff`
   * unless the cut-off is a moment in the past.
   */
  async deleteBefore(actor: Actor, cutoffSeconds: number, requestId: string): Promise<number> {
    const nowSeconds = this.#deps.nowSeconds();
    if (!Number.isFinite(cutoffSeconds) || cutoffSeconds <= 0 || cutoffSeconds > nowSeconds) {
      throw new TollgateError('log_cutoff', {}, { field: 'target_timestamp' });
    }
    const cutoff = Math.floor(cutoffSeconds);
    const { database } = this.#deps;
    const rows = await deleteInBatches((limit) =>
      database.transaction((stores) => stores.logs.deleteBefore(cutoff, limit)),
    );
    await deleteInBatches((limit) => database.stores.logBodies.deleteBefore(cutoff, limit));
    await this.#noteDeletion(actor, { rows, cutoff, requestId });
    return rows;
  }

  /** Rows as their users may see them. */
  asUser(rows: readonly LogRecord[]): LogRecord[] {
    const mappedModel = this.#deps.options().get('HideMappedModel') ? 'hidden' : 'shown';
    return rows.map((row) => userLogView(row, { mappedModel }));
  }

  async #noteDeletion(actor: Actor, { rows, cutoff, requestId }: Deletion): Promise<void> {
    const nowSeconds = this.#deps.nowSeconds();
    const { userId, username, ip } = actor;
    const content = deletionText(rows, cutoff)[this.#deps.siteLanguage];
    const adminInfo = { actor_id: userId, actor_name: username, ip };
    const row = eventRow({ userId, username, type: 3, content, quota: 0, nowSeconds, requestId, adminInfo });
    await this.#deps.database.transaction(async (stores) => {
      await stores.logs.insert([row]);
      const act = { action: 'log.delete', target: 'log', detail: { before: cutoff, rows } };
      await stores.audits.append(auditBy(actor, act, nowSeconds));
    });
  }

  async *#pagesAsUser(pages: AsyncIterable<LogRecord[]>): AsyncGenerator<LogRecord[]> {
    for await (const page of pages) yield this.asUser(page);
  }

  /** The one row that its user names so; throws `invalid_params` where there is none, or several. */
  async #ownRow({ userId }: Actor, name: string): Promise<LogRecord> {
    const [, requestId = name, id] = /^(.+)\/(\d+)$/.exec(name) ?? [];
    const rows = await this.#deps.database.stores.logs.listBefore({ userId, requestId }, { limit: mostOfRequest });
    const [row, ...others] = rows.filter((one) => id === undefined || this.asUser([one])[0]?.id === Number(id));
    if (row === undefined || others.length > 0)
      throw new TollgateError('invalid_params', {}, { field: 'resume_after' });
    return row;
  }

  async *#pages(filter: LogFilter, behind?: LogRecord): AsyncGenerator<LogRecord[]> {
    let before = behind;
    for (;;) {
      const page = await this.#deps.database.stores.logs.listBefore(filter, { before, limit: exportPage });
      if (page.length > 0) yield page;
      before = page.at(-1);
      if (page.length < exportPage) return;
    }
  }

  async #figures(filter: LogFilter): Promise<LogFigures> {
    const { logs } = this.#deps.database.stores;
    const sums = await logs.sums(filter);
    const rate = await logs.rate(filter, this.#deps.nowSeconds() - 60);
    return { ...sums, rpm: rate.requests, tpm: rate.tokens };
  }

  async #search(keyword: string, userId: number | undefined): Promise<LogRecord[]> {
    const { logs } = this.#deps.database.stores;
    const own = userId === undefined ? {} : { userId };
    if (/^\d{1,4}$/.test(keyword)) return logs.listBefore({ ...own, type: Number(keyword) }, { limit: searchLimit });
    if (keyword === '') return logs.listBefore(own, { limit: searchLimit });
    return logs.searchContent({ ...own, prefix: keyword.slice(0, 100), limit: searchLimit });
  }

  async #withBodies(rows: readonly LogRecord[]): Promise<LogRecord[]> {
    const ids = [...new Set(rows.flatMap((row) => (row.requestId === '' ? [] : [row.requestId])))];
    return withBodies(rows, await this.#deps.database.stores.logBodies.findMany(ids));
  }
}

interface Deletion {
  readonly rows: number;
  readonly cutoff: number;
  readonly requestId: string;
}

function deletionText(rows: number, cutoff: number): Readonly<Record<Language, string>> {
  const time = new Date(cutoff * 1000).toISOString();
  return { en: `Deleted ${rows} log rows from before ${time}`, zh: `删除了 ${time} 之前的 ${rows} 条日志` };
}

async function deleteInBatches(deleteSome: (limit: number) => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const deleted = await deleteSome(deletedAtOnce);
    total += deleted;
    if (deleted < deletedAtOnce) return total;
  }
}

/** A user's own rows, found by id: a renamed user keeps them. */
export function ownFilter(actor: Actor, question: LogQuestion): LogFilter {
  const { username: _username, channelId: _channelId, afterId: _afterId, ...filter } = filterOf(question);
  return { ...filter, userId: actor.userId };
}

/** What the question means to the store. */
export function filterOf(question: LogQuestion): LogFilter {
  const { model_name: model } = question;
  const isPrefix = model?.endsWith('%') ?? false;
  return {
    type: question.type || undefined,
    username: question.username || undefined,
    tokenName: question.token_name || undefined,
    modelName: isPrefix ? undefined : model || undefined,
    modelPrefix: isPrefix ? model?.slice(0, -1) || undefined : undefined,
    from: question.start_timestamp || undefined,
    until: question.end_timestamp || undefined,
    channelId: question.channel || undefined,
    group: question.group || undefined,
    requestId: question.request_id || undefined,
    failed: question.failed,
    afterId: question.after_id || undefined,
  };
}
