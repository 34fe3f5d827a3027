/** Commands that run beside the daemon. */
import { readdirSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { MoveWish } from '../../../daemon/archive/move.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import { checkConfig, migrateDatabase } from '../../../daemon/maintenance.ts';
import { moveDatabase } from '../../../daemon/transfer.ts';
import { runBuilt, runProgram } from '../../support/command-line.ts';
import { createWorkspace } from '../../support/workspace.ts';

const test = suite('cli: config');

function config(environment: Record<string, string>, ...words: string[]) {
  return runProgram(['config', ...words], {
    environment,
    local: { checkConfig: (options) => checkConfig(options, environment) },
  });
}

const check = (environment: Record<string, string>, ...flags: string[]) => config(environment, 'check', ...flags);

test('tells what is set in vain and finds nothing wrong with it', async () => {
  const ended = await check({ BATCH_UPDATE_ENABLED: 'true' });
  assert.is(ended.code, 0, ended.stderr);
  assert.match(ended.stderr, /jobs\.batch_update_enabled: has no effect: .+ \(BATCH_UPDATE_ENABLED\)/);
  assert.match(ended.stderr, 'the configuration is valid');
  assert.not.match((await check({ BATCH_UPDATE_ENABLED: 'false' })).stderr, 'no effect');
});

test('tells which variables nothing reads, and finds that wrong with --strict', async () => {
  const environment = { TOLLGATE_DATABASE_PASSWORD: 'hidden' };
  const ended = await check(environment);
  assert.is(ended.code, 0, ended.stderr);
  assert.match(
    ended.stderr,
    /^TOLLGATE_DATABASE_PASSWORD: is not known .+ TOLLGATE_DATABASE_URL\n.*the configuration is valid/,
  );
  const strict = await check(environment, '--strict');
  assert.is(strict.code, 2, strict.stderr);
  assert.match(strict.stdout, /TOLLGATE_DATABASE_PASSWORD\s+is not known/);
  assert.not.match(ended.stderr + strict.stdout + strict.stderr, 'hidden');
  assert.is((await check({ TOLLGATE_TZ: 'UTC' }, '--strict')).code, 0);
  const wrong = await check({ ...environment, BATCH_UPDATE_INTERVAL: 'soon' }, '--strict');
  assert.is(wrong.code, 12);
  assert.match(wrong.stderr, 'TOLLGATE_DATABASE_PASSWORD');
});

test('ends with 12 and a list of what is wrong', async () => {
  const ended = await check({ BATCH_UPDATE_INTERVAL: 'soon' });
  assert.is(ended.code, 12);
  assert.match(ended.stdout, /jobs\.batch_update_interval_seconds\s+expected a whole number/);
});

test('tells whole below the table what a screen cuts, in the language of the reader', async () => {
  const environment = { TOLLGATE_LISTENN: '1', BATCH_UPDATE_INTERVAL: 'soon', TOLLGATE_FORCE_TTY: '60' };
  const english = await check(environment);
  assert.match(english.stdout, '…');
  assert.match(
    english.stderr,
    /jobs\.batch_update_interval_seconds: expected a whole number from 1 to \d+ \(BATCH_UPDATE_INTERVAL\)/,
  );
  assert.is((await check({ ...environment, TOLLGATE_FORCE_TTY: '200' })).stderr, '');
  const chinese = await check({ ...environment, TOLLGATE_LANG: 'zh' });
  assert.match(chinese.stdout, '未知变量，');
  assert.match(
    chinese.stderr,
    /jobs\.batch_update_interval_seconds：须为 1 到 \d+ 之间的整数（BATCH_UPDATE_INTERVAL）/,
  );
});

test('keeps the server from starting, which says why in the language of whoever started it', async () => {
  const wrong = { TOLLGATE_LISTEN: 'nowhere', PATH: process.env.PATH ?? '' };
  const english = await runBuilt(['serve'], { environment: wrong });
  assert.is(english.code, 12);
  assert.match(english.stderr, /^config: listen: expected host:port, .+ \(TOLLGATE_LISTEN\)\n$/);
  const chinese = await runBuilt(['serve'], { environment: { ...wrong, TOLLGATE_LANG: 'zh' } });
  assert.is(chinese.code, 12);
  assert.match(chinese.stderr, /^config：listen：须为 host:port，.+（TOLLGATE_LISTEN）\n$/);
});

test('prints what is set and where, and the rest only where it is asked for', async () => {
  const environment = { TOLLGATE_LISTEN: '127.0.0.1:3001', TOLLGATE_DATABASE_URL: 'postgres://me:very-secret@db/t' };
  const set = await config(environment, 'print', '--columns', 'key,source');
  assert.is(set.code, 0, set.stderr);
  assert.is(set.stdout, 'listen\tTOLLGATE_LISTEN\ndatabase.url\tTOLLGATE_DATABASE_URL\n');
  const all = await config(environment, 'print', '--show-defaults');
  assert.match(all.stdout, /^jobs\.batch_update_enabled\t.*\tdefault\t/m);
  assert.not.match(all.stdout, 'very-secret');
});

function migrate(environment: Record<string, string>, ...flags: string[]) {
  return runProgram(['migrate', ...flags], {
    environment,
    local: { migrate: (options) => migrateDatabase(options, environment) },
  });
}

test('says why a database cannot be migrated, and is no bug for it', async () => {
  const away = await migrate({ TOLLGATE_DATABASE_URL: 'postgres://user:very-secret@127.0.0.1:1/tollgate' });
  assert.is(away.code, 10, away.stderr);
  assert.match(
    away.stderr,
    /^error: Database unavailable: connect ECONNREFUSED 127\.0\.0\.1:1 \(db_unavailable\)\n {2}try: tollgate doctor --local\n/,
  );
  assert.not.match(away.stderr, 'very-secret');
  assert.not.match(away.stderr, 'at async');

  const workspace = createWorkspace();
  writeFileSync(workspace.path('text.db'), 'no database at all');
  const text = await migrate({ TOLLGATE_DATABASE_URL: `sqlite:${workspace.path('text.db')}` });
  workspace.remove();
  assert.is(text.code, 12, text.stderr);
  assert.match(
    text.stderr,
    /^error: Database unavailable: SQLITE_NOTADB: .*\n {2}try: see that the file is a database,/,
  );

  const wrong = await migrate({ TOLLGATE_LISTEN: 'nowhere' });
  assert.is(wrong.code, 12, wrong.stderr);
  assert.match(wrong.stderr, /listen: expected host:port, .+ \(TOLLGATE_LISTEN\) \(config_invalid\)/);

  const unwritable = await migrate({ TOLLGATE_DATABASE_URL: 'sqlite:/dev/null/tollgate.db' }, '--json');
  assert.is(unwritable.code, 12, unwritable.stderr);
  assert.is(JSON.parse(unwritable.stderr).error.code, 'local');
});

test('names the flag of a target that is not reached, and what is to be seen to there', async () => {
  const workspace = createWorkspace();
  try {
    const environment = {
      TOLLGATE_DATABASE_URL: `sqlite:${workspace.path('tollgate.db')}`,
      TOLLGATE_DATA_DIR: workspace.path('.'),
    };
    await migrate(environment);
    const local = { moveTo: (wish: MoveWish) => moveDatabase(wish, environment) };
    const nowhere = 'postgres://user:very-secret@127.0.0.1:1/tollgate';
    for (const dry of [[], ['--dry-run']]) {
      const away = await runProgram(['migrate', '--to', nowhere, '--json', ...dry], { environment, local });
      const { code, field, hint, exit_code } = JSON.parse(away.stderr).error;
      assert.equal([code, field, exit_code], ['db_unavailable', '--to', 10]);
      assert.match(hint, /the database that is to be filled/);
    }
  } finally {
    workspace.remove();
  }
});

test('says to back up before steps that are still to be run, and not afterwards', async () => {
  const workspace = createWorkspace();
  try {
    const environment = { TOLLGATE_DATABASE_URL: `sqlite:${workspace.path('tollgate.db')}` };
    const preview = await migrate(environment, '--dry-run');
    assert.is(preview.code, 0, preview.stderr);
    assert.match(preview.stdout, '0001-initial');
    assert.match(preview.stderr, /There is no way back but a backup: tollgate backup/);
    const pending = await migrate({ ...environment, TOLLGATE_LANG: 'zh' }, 'status');
    assert.is(pending.code, 2, pending.stderr);
    assert.match(pending.stderr, '请先备份');
    assert.equal(readdirSync(workspace.path('.')), [], 'looking made a database');
    assert.is((await migrate(environment)).stderr, '');
    const done = await migrate(environment, 'status');
    assert.equal([done.code, done.stderr], [0, '']);
  } finally {
    workspace.remove();
  }
});

test('calls a schema of a newer program a local matter', async () => {
  const newer = new TollgateError('schema_newer', { migrations: '0099-later' });
  const ended = await runProgram(['migrate'], {
    environment: { LANG: 'zh_CN.UTF-8' },
    local: { migrate: () => Promise.reject(newer) },
  });
  assert.is(ended.code, 12, ended.stderr);
  assert.match(ended.stderr, '0099-later');
});

test('shows when migrations ran as every command shows times: by --time and --tz, else by the form of the rows', async () => {
  const steps = [
    { version: 1, name: '0001-initial', applied: '2026-11-30T14:50:35.000Z' },
    { version: 2, name: '0002-later', applied: undefined },
  ];
  for (const [flags, shown] of [
    [[], '1\t0001-initial\t2026-11-30T14:50:35Z\n2\t0002-later\t\n'],
    [['--time', 'unix'], '1\t0001-initial\t1796050235\n2\t0002-later\t\n'],
    [['-o', 'table', '--tz', 'Asia/Shanghai'], /APPLIED \(Asia\/Shanghai\)\n +1 +0001-initial +2026-11-30 22:50:35\n/],
  ] as const) {
    const ended = await runProgram(['migrate', 'status', ...flags], {
      environment: {},
      local: { migrate: () => Promise.resolve({ steps }) },
    });
    assert.match(ended.stdout, shown);
    assert.is(ended.code, 2, 'a step is still to be run');
  }
});

test.run();
