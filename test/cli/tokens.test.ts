/** Keys and all that can be set of them, on the command line against a whole daemon. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, runProgram } from '../support/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';

let daemon: TestDaemon;
let folder: string;

const cli = suite('tokens on the command line');

function run(args: readonly string[]): Promise<Ended> {
  const { url, accessToken } = daemon;
  return runProgram(args, {
    environment: { TOLLGATE_CONFIG_DIR: folder, TOLLGATE_URL: url, TOLLGATE_ACCESS_TOKEN: accessToken },
  });
}

cli.before(async () => {
  // The command line would wait until it may look up names again.
  daemon = await startTestDaemon({ config: { 'limits.search.enabled': false } });
  folder = mkdtempSync(join(tmpdir(), 'tollgate-cli-'));
});

cli.after(async () => {
  await daemon.stop();
  rmSync(folder, { recursive: true, force: true });
});

cli('sets below what a token its owner is told', async () => {
  const threshold = async () => (await run(['token', 'get', 'watched', '--jq', '.quota_warning_threshold'])).stdout;
  await run(['token', 'create', '--name', 'watched', '-q']);
  assert.is(await threshold(), '-1\n');
  for (const [word, stored] of [
    ['2usd', '1000000\n'],
    ['never', '0\n'],
    ['account', '-1\n'],
  ] as const) {
    assert.is((await run(['token', 'edit', 'watched', '--warn-below', word])).code, 0);
    assert.is(await threshold(), stored);
  }
  assert.is((await run(['token', 'edit', 'watched', '--warn-below', 'soon'])).code, 3);
  await run(['token', 'delete', 'watched', '--yes']);
});

cli('sets and lifts limits of a token, by the minute and of calls at once', async () => {
  const flags = ['--rpm', '60', '--tpm', '90k', '--concurrent-calls', '4'];
  const made = await run(['token', 'create', '--name', 'limited', ...flags, '--json']);
  const { id, rpm_limit, tpm_limit, concurrency_limit } = JSON.parse(made.stdout);
  assert.equal([rpm_limit, tpm_limit, concurrency_limit], [60, 90_000, 4]);
  const edit = (...flags: string[]) => run(['token', 'edit', String(id), ...flags, '--json=rpm_limit,tpm_limit']);
  const atOnce = async () => (await run(['token', 'get', String(id), '--jq', '.concurrency_limit'])).stdout;
  // Beside it, --concurrency says how many of several tokens are changed at once.
  assert.is((await edit('--concurrency', '2', '--rpm', '61')).code, 0);
  assert.is(await atOnce(), '4\n');
  assert.is((await edit('--unset', 'concurrent-calls')).code, 0);
  assert.is(await atOnce(), '0\n');
  assert.is((await run(['limit', 'set', '--on', 'token:limited', '--concurrency', '3'])).code, 0);
  assert.is(await atOnce(), '3\n');
  const lifted = await edit('--rpm', 'none', '--tpm', '2M');
  assert.equal(JSON.parse(lifted.stdout), { rpm_limit: 0, tpm_limit: 2_000_000 }, lifted.stderr);
  assert.is((await edit('--rpm', '1.5')).code, 3);
  const refused = await edit('--rpm', '2000m');
  assert.is(refused.code, 3);
  assert.match(refused.stderr, 'token_rate_invalid');
  await run(['token', 'delete', String(id), '--yes']);
});

cli('gives a token names of its own for models, and says which of them is wrong', async () => {
  const edit = (...flags: string[]) => run(['token', 'edit', 'named', ...flags]);
  const mappingOf = async () => (await run(['token', 'get', 'named', '--jq', '.model_mapping'])).stdout;
  await run(['token', 'create', '--name', 'named', '--model-mapping', '{"fast": "gpt-4o-mini"}', '-q']);
  assert.is(await mappingOf(), '{"fast":"gpt-4o-mini"}\n');
  const refused = await edit('--model-mapping', '{"fast":"faster","faster":"fast"}');
  assert.match(`${refused.code} ${refused.stderr}`, /^3 [\s\S]*Model mapping: "fast" leads in a circle/);
  await edit('--unset', 'model-mapping');
  assert.is(await mappingOf(), 'null\n');
  await run(['token', 'delete', 'named', '--yes']);
});

cli('sets what a token does about fields that a channel cannot say', async () => {
  await run(['token', 'create', '--name', 'careful', '--conversion', 'strict', '-q']);
  assert.is((await run(['token', 'get', 'careful', '--jq', '.conversion'])).stdout, 'strict\n');
  await run(['token', 'edit', 'careful', '--conversion', 'warn']);
  assert.is((await run(['token', 'get', 'careful', '--jq', '.conversion'])).stdout, 'warn\n');
  const refused = await run(['token', 'edit', 'careful', '--conversion', 'loose']);
  assert.is(refused.code, 3);
  await run(['token', 'delete', 'careful', '--yes']);
});

cli('finds a key by its name behind a hundred others that a search comes upon first', async () => {
  await run(['token', 'create', '--name', 'worker', '-q']);
  await run(['token', 'create', '--name', 'worker', '--count', '101', '-q']);
  const found = await run(['token', 'list', '--search', 'worker', '--all', '-q']);
  assert.is(found.stdout.trim().split('\n').length, 102, found.stderr);
  const named = await run(['token', 'get', 'worker', '--jq', '.name']);
  assert.equal([named.code, named.stdout], [0, 'worker\n'], named.stderr);
  const removed = await run(['token', 'delete', ...found.stdout.trim().split('\n'), '--yes']);
  assert.is(removed.code, 0, removed.stderr);
});

cli('makes a token whose key alone is printed with -q, and masks it later', async () => {
  const made = await run(['token', 'create', '--name', 'app', '--quota', '2usd', '-q']);
  assert.match(made.stdout, /^sk-[0-9A-Za-z]{48}\n$/);
  const key = made.stdout.trim();
  const listed = await run(['token', 'list', '--json']);
  assert.not.ok(listed.stdout.includes(key.slice(3)));
  assert.is((await run(['token', 'key', 'app'])).stdout, made.stdout);
  await run(['budget', 'set', '--on', 'token:app', '--requests', '9', '--per', 'day']);
  await run(['budget', 'set', '--on', 'user:root', '--quota', '20usd', '--per', 'month']);
  const budgets = (...words: string[]) => run([...words, '-o', 'csv', '--columns', 'name,budgets']);
  assert.match((await budgets('token', 'list')).stdout, /^app,requests\/day 0 of 9\r?$/m);
  assert.match((await budgets('token', 'get', 'app')).stdout, /^app,requests\/day 0 of 9\r?$/m);
  assert.match((await budgets('user', 'get', 'root')).stdout, /^root,quota\/month \S+ of \S+\r?$/m);
  assert.is((await run(['token', 'get', 'app', '--jq', '.remain_quota'])).stdout, '1000000\n');
});

cli('counts the keys that an account has, not those that are deleted, by its name as by its id', async () => {
  const counted = async (user: string) => (await run(['user', 'get', user, '--jq', '.token_count'])).stdout;
  const before = Number(await counted('root'));
  await run(['token', 'create', '--name', 'counted', '--count', '2', '-q']);
  assert.is(await counted('root'), `${before + 2}\n`);
  await run(['token', 'delete', 'counted-1', '--yes']);
  assert.is(await counted('1'), `${before + 1}\n`);
  const table = await run(['user', 'get', '1', '-o', 'csv', '--columns', 'name,keys']);
  assert.match(table.stdout, new RegExp(`^root,${before + 1}\\r?$`, 'm'));
});

cli('makes a token with its budgets', async () => {
  const create = (...flags: string[]) => run(['token', 'create', '--name', 'kept', ...flags]);
  const made = await create('--budget', 'quota=5usd/day', '--budget', 'tokens=2m/month');
  assert.is(made.code, 0, made.stderr);
  const told = await run(['token', 'get', 'kept', '--jq', '.budgets[] | [.kind, .per, .limit] | @json']);
  assert.is(told.stdout, '["quota","day",2500000]\n["tokens","month",2000000]\n');
  const { items } = await daemon.root.audits.list({ action: 'budget.set', page_size: 2 });
  assert.equal([...new Set(items.map(({ target }) => target))].length, 1);
  for (const wrong of ['quota', 'quota=5usd', 'money=5usd/day', 'quota=5usd/year', 'requests=many/day']) {
    assert.is((await create('--budget', wrong)).code, 3, wrong);
  }
  const twice = await create('--budget', 'quota=5usd/day', '--budget', 'quota=6usd/day');
  assert.equal([twice.code, /invalid_params/.test(twice.stderr)], [3, true], twice.stderr);
  await run(['token', 'delete', 'kept', '--yes']);
});

cli.run();
