import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ownProgram } from '../support/own-program.ts';
import { type TestDatabase, testDatabaseUrl, testEngine } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { Books, type Purse, putAway } from './books.ts';

const crash = suite(`a bookkeeper killed on ${testEngine()}`);
const { program, execArgv } = ownProgram('test/ledger/crash-worker.ts');

let home: TestDatabase;
crash.before.each(async () => {
  home = await testDatabaseUrl();
});
crash.after.each(async () => {
  await putAway();
  await home.drop();
});

/** A bookkeeper in another process; `answered` grows until it is killed. */
class Victim {
  readonly answered: string[] = [];
  readonly #process: ChildProcess;
  readonly #ready: Promise<void>;
  #rest = '';

  constructor(books: Books, purse: Purse, task: 'hold' | 'load') {
    const args = [home.url, books.workspace.folder, String(purse.userId), String(purse.tokenId), task];
    this.#process = spawn(process.execPath, [...execArgv, program, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#ready = new Promise((resolve, reject) => {
      this.#process.once('exit', () => reject(new Error('the bookkeeper ended before it began')));
      this.#process.stdout?.on('data', (chunk: Buffer) => {
        const lines = (this.#rest + chunk.toString()).split('\n');
        this.#rest = lines.pop() ?? '';
        if (lines.includes('ready')) resolve();
        this.answered.push(...lines.filter((line) => line !== 'ready'));
      });
    });
  }

  ready(): Promise<void> {
    return this.#ready;
  }

  async kill(): Promise<void> {
    assert.is(this.#process.exitCode, null, 'the bookkeeper ended by itself');
    const ended = once(this.#process, 'close');
    this.#process.kill('SIGKILL');
    await ended;
  }
}

/**
 * Resolves when the server is done with what the killed process had sent: PostgreSQL ends a statement whose client is
 * gone, and only what stands in the books can be swept.
 */
async function quiet(url: string): Promise<void> {
  if (testEngine() !== 'postgres') return;
  const client = new pg.Client(url);
  await client.connect();
  const others = `select count(*)::int as running from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`;
  while ((await client.query<{ running: number }>(others)).rows[0]?.running !== 0) await sleep(10);
  await client.end();
}

/** Starts again as the killed process would: the journal first, then the sweep. */
async function recover(books: Books): Promise<void> {
  await quiet(home.url);
  await books.ledger.start();
  books.nowMs += 31_000;
  while ((await books.ledger.sweep()) > 0);
}

crash('between hold and settlement leaves nothing held after the restart', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(10_000, 5000);
  await books.watch();
  const victim = new Victim(books, purse, 'hold');
  await victim.ready();
  await victim.kill();
  assert.is(await books.balance(purse), 10_000 - 20 * 100);
  await recover(books);
  assert.is(await books.balance(purse), 10_000);
  assert.is((await books.rowsOf('held-7')).length, 1);
  await books.close();
});

crash('during settlement loses no answered call and no unit of quota', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(1_000_000_000, 1_000_000_000);
  await books.watch();
  for (const lifeMs of [40, 150, 400]) {
    const victim = new Victim(books, purse, 'load');
    await victim.ready();
    await until(() => victim.answered.length > 0);
    await sleep(lifeMs);
    await victim.kill();
    await recover(books);
    assert.ok(victim.answered.length > 0);
    for (const requestId of victim.answered) {
      const rows = await books.rowsOf(requestId);
      assert.is(rows.length, 1, `rows of the answered call ${requestId}`);
    }
    await books.check();
  }
  await books.close();
});

crash.run();
