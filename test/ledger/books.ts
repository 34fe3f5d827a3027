/** A database with users, tokens and channels, a ledger on it, and the invariants that must hold in the end. */
import { Ledger, type LedgerDeps } from '../../daemon/domain/ledger.ts';
import { creditUser, eventRow, setTokenQuota } from '../../daemon/domain/ledger-credits.ts';
import type { LedgerEvent } from '../../daemon/domain/ledger-events.ts';
import type { Settlement } from '../../daemon/domain/settlement.ts';
import { openDatabase } from '../../daemon/store/database.ts';
import type { LogRecord, NewLogRow } from '../../daemon/store/logs.ts';
import { LedgerInvariants } from '../support/ledger-invariants.ts';
import { createWorkspace, type Workspace } from '../support/workspace.ts';
import { FlakyDatabase } from './flaky-database.ts';

export const NOW_MS = 1_800_000_000_000;

export interface Purse {
  readonly userId: number;
  /** 0 without a token. */
  readonly tokenId: number;
  readonly tokenLimited: boolean;
}

const unfinished = new Set<Books>();

/** Puts away what a failed test left open, so that the process can end. */
export async function putAway(): Promise<void> {
  for (const books of [...unfinished]) await books.abandon().then((invariants) => invariants.end());
}

export interface BooksOptions extends Partial<LedgerDeps> {
  readonly workspace?: Workspace;
}

/** One bookkeeper at work; a second one on the same address is a second process, as far as the books can tell. */
export class Books {
  readonly url: string;
  readonly database: FlakyDatabase;
  readonly ledger: Ledger;
  readonly events: LedgerEvent[] = [];
  readonly workspace: Workspace;
  /** Advances when a test says so. */
  nowMs = NOW_MS;
  #accounts = 0;
  #invariants: LedgerInvariants;

  /** `invariants` are those of an earlier bookkeeper whose work this one goes on with. */
  static async open(
    url: string,
    { invariants, ...options }: BooksOptions & { readonly invariants?: LedgerInvariants } = {},
  ): Promise<Books> {
    const database = new FlakyDatabase(await openDatabase({ url }));
    return new Books({ url, database, invariants: invariants ?? (await LedgerInvariants.begin(url)) }, options);
  }

  private constructor(
    parts: { url: string; database: FlakyDatabase; invariants: LedgerInvariants },
    { workspace, ...options }: BooksOptions,
  ) {
    this.url = parts.url;
    this.database = parts.database;
    this.#invariants = parts.invariants;
    unfinished.add(this);
    this.workspace = workspace ?? createWorkspace();
    this.ledger = new Ledger({
      database: parts.database,
      node: 'node-1',
      dataDir: this.workspace.folder,
      now: () => this.nowMs,
      report: (event) => this.events.push(event),
      formatQuota: (quota) => `${quota} units`,
      language: 'en',
      limits: { retryDelaysMs: [5, 10], replayDelayMs: 20 },
      ...options,
    });
  }

  /** A user with that balance, by a top-up in the log, and a token: limited to `tokenQuota`, else unlimited. */
  async purse(balance: number, tokenQuota?: number): Promise<Purse> {
    this.#accounts += 1;
    const name = `user-${process.pid}-${this.#accounts}-${Math.random().toString(36).slice(2, 8)}`;
    const tokenLimited = tokenQuota !== undefined;
    return this.database.transaction(async (stores) => {
      const inserted = await stores.users.insert({ username: name, createdAt: 0 });
      if (!inserted.inserted) throw new Error(inserted.conflict);
      const userId = inserted.user.id;
      const token = await stores.tokens.insert({
        userId,
        keyHash: name,
        keySealed: '',
        keyHint: '',
        name: 'token',
        createdTime: 0,
        expiredTime: -1,
        unlimitedQuota: !tokenLimited,
        modelLimitsEnabled: false,
        modelLimits: '',
        allowIps: '',
        group: '',
      });
      if (!token) throw new Error('token exists');
      const row = eventRow({
        userId,
        username: name,
        type: 1,
        content: 'top-up',
        quota: balance,
        nowSeconds: 0,
        requestId: '',
      });
      await creditUser(stores, { userId, amount: balance, row });
      await setTokenQuota(stores, { id: token.id, userId, remain: tokenQuota ?? 0 });
      return { userId, tokenId: token.id, tokenLimited };
    });
  }

  /** Log rows of one call. */
  async rowsOf(requestId: string): Promise<LogRecord[]> {
    return (await this.database.stores.logs.list({ requestId }, { offset: 0, limit: 10 })).items;
  }

  async channel(): Promise<number> {
    return (await this.database.stores.channels.insert({ type: 1, name: 'channel', createdTime: 0 })).id;
  }

  /** Begins anew to watch the invariants: call it when the accounts of a test are made. */
  async watch(): Promise<void> {
    await this.#invariants.end();
    this.#invariants = await LedgerInvariants.begin(this.url);
  }

  /** Throws when something is wrong with the books. */
  check(options: { holds?: 'none' | 'open' } = {}): Promise<void> {
    return this.#invariants.check(options);
  }

  async balance(purse: Purse): Promise<number> {
    return (await this.database.stores.users.find(purse.userId))?.quota ?? Number.NaN;
  }

  /** Leaves as a crash would: nothing is written any more. Returns the watch for whoever goes on. */
  async abandon(): Promise<LedgerInvariants> {
    unfinished.delete(this);
    this.database.weather = 'away';
    await this.ledger.stop();
    await this.database.close();
    return this.#invariants;
  }

  /** Ends the work and checks that nothing is wrong with the books. */
  async close(options: { holds?: 'none' | 'open' } = {}): Promise<void> {
    await this.ledger.stop();
    await this.#invariants.check(options);
    unfinished.delete(this);
    await this.#invariants.end();
    await this.database.close();
  }
}

export function holdOf(purse: Purse, requestId: string, amount: number) {
  return { ...purse, requestId, amount, group: 'default' };
}

/** The settlement of an answered request. */
export function settlementOf(
  purse: Purse,
  facts: { requestId: string; held: number; charge: number; channelId?: number },
  changes: Partial<Settlement> = {},
): Settlement {
  const { requestId, held, charge, channelId = 0 } = facts;
  return {
    ...purse,
    requestId,
    held,
    charge,
    outcome: 'settled',
    reason: 'complete',
    channelId,
    counted: true,
    nowSeconds: NOW_MS / 1000,
    rows: [consumeRow(purse, { requestId, quota: charge, channelId })],
    ...changes,
  };
}

/** The settlement of a request that failed: all is given back, a failed row says why. */
export function releaseOf(purse: Purse, requestId: string, held: number): Settlement {
  const row = { ...consumeRow(purse, { requestId, quota: 0, channelId: 0 }), failed: true };
  return settlementOf(
    purse,
    { requestId, held, charge: 0 },
    { outcome: 'released', reason: 'upstream_error', counted: false, rows: [row] },
  );
}

export function consumeRow(purse: Purse, facts: { requestId: string; quota: number; channelId: number }): NewLogRow {
  return {
    userId: purse.userId,
    createdAt: NOW_MS / 1000,
    type: 2,
    content: 'model ratio 1, "quoted" \\ 模型',
    username: 'user',
    tokenName: 'token',
    modelName: 'gpt-4o',
    quota: facts.quota,
    promptTokens: 10,
    completionTokens: 5,
    useTime: 1,
    isStream: true,
    channelId: facts.channelId,
    tokenId: purse.tokenId,
    group: 'default',
    other: '{"frt":5}',
    requestId: facts.requestId,
    failed: false,
    ip: null,
  };
}
