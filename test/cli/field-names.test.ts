/** Names of JSON fields that shells complete: made from the contract, and what the commands really print. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as z from 'zod/mini';
import { fieldNames } from '../../cli/field-names.ts';
import { localCommandsThat } from '../../cli/local-commands.ts';
import { buildProgram } from '../../cli/program.ts';
import { contract } from '../../daemon/contract/index.ts';
import { endpointsOf } from '../../daemon/contract/openapi.ts';
import { runProgram, wordsOf } from '../support/command-line.ts';
import { startTestDaemon } from '../support/daemon.ts';

const names = suite('names of JSON fields');

const file = new URL('../../cli/field-names.ts', import.meta.url);
const elsewhere = () => Promise.reject(new Error('no command is run here'));

/** Endpoints whose rows commands print as they come. */
function printed(): string[] {
  const found = new Set<string>();
  const stream = new PassThrough();
  buildProgram({
    environment: {},
    host: { stdin: stream, stdout: stream, stderr: stream },
    signal: new AbortController().signal,
    local: localCommandsThat(elsewhere),
    language: 'en',
    onCommand: (_command, { rows }) => {
      if (rows !== undefined) found.add(rows);
    },
  });
  return [...found].sort();
}

/** Members of a row, but for those that no command prints. */
function fieldsOf(name: string): string {
  const output = endpointsOf(contract).find((one) => one.name === name)?.endpoint.output;
  const row = output instanceof z.ZodMiniArray ? output._zod.def.element : output;
  assert.ok(row instanceof z.ZodMiniObject, `${name} has no rows`);
  const hidden = ['password', 'access_token', ...(name === 'channels.list' ? ['key'] : [])];
  return Object.keys(row._zod.def.shape)
    .filter((field) => !hidden.includes(field))
    .join(' ');
}

names('are those of the contract (UPDATE_FIELDS=1 writes them anew)', () => {
  const lines = printed().map((name) => `  '${name}':\n    '${fieldsOf(name)}',\n`);
  const text = `/** Fields of rows by endpoint, known without a schema. Made by test/cli/field-names.test.ts. */
export const fieldNames: Readonly<Record<string, string>> = {
${lines.join('')}};
`;
  if (process.env.UPDATE_FIELDS) writeFileSync(file, text);
  assert.is(readFileSync(file, 'utf8').replaceAll(/:\s+'/g, ": '"), text.replaceAll(/:\s+'/g, ": '"));
});

/** Commands whose columns and fields are their own. */
const othersThatRead = [
  'account bind list',
  'account get',
  'account groups',
  'account models',
  'account settings get',
  'alert get',
  'alert list',
  'alert target list',
  'audit verify',
  'channel explain --model gpt-4o',
  'channel export',
  'channel get main',
  'channel latency',
  'channel tag list',
  'channel tests main',
  'channel types',
  'checkin --status',
  'doctor --only server',
  'drawing list',
  'group get default',
  'group list',
  'invite get',
  'log stat',
  'model list',
  'model list --builtin',
  'option get RetryTimes',
  'option list',
  'order list',
  'price list',
  'price quote gpt-4o --in 10',
  'profile list',
  'redemption count --name spring',
  'redemption create --name spring --quota 1usd --dry-run',
  'status',
  'task list',
  'token get laptop',
  'token list',
  'usage report --by user,day',
  'usage report --cost',
  'usage site',
  'user get root',
  'version',
  'wallet get',
  'wallet orders',
  'whoami',
];

names('are what the commands print, and are completed one behind another', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-fields-'));
  const daemon = await startTestDaemon();
  try {
    const environment = {
      TOLLGATE_CONFIG_DIR: folder,
      TOLLGATE_URL: daemon.url,
      TOLLGATE_ACCESS_TOKEN: daemon.accessToken,
    };
    const run = (line: string) => runProgram(wordsOf(line), { environment });
    await daemon.addChannel({ base_url: 'http://127.0.0.1:9', name: 'main', models: 'gpt-4o' });
    await daemon.addKey({ name: 'laptop' });
    await daemon.root.tokens.create({ name: 'eternal', expired_time: 99_999_999_999_999, remain_quota: 0 });
    await daemon.root.redemptions.create({ name: 'spring', count: 1, quota: 100 });
    const commands = {
      'user list': 'users.list',
      'channel list': 'channels.list',
      'channel key list main': 'channels.keys',
      'redemption list': 'redemptions.list',
      'log list': 'logs.list',
      'session list': 'sessions.list',
      'audit list': 'audits.list',
      'node list': 'system.nodes',
    };
    for (const [line, endpoint] of Object.entries(commands)) {
      const ended = await run(`${line} --json`);
      assert.is(ended.code, 0, `${line}: ${ended.stderr}`);
      const rows: unknown = JSON.parse(ended.stdout);
      const row: unknown = Array.isArray(rows) ? rows[0] : rows;
      assert.ok(typeof row === 'object' && row !== null, `${line} printed nothing`);
      assert.equal(Object.keys(row).sort(), fieldNames[endpoint]?.split(' ').sort(), line);
    }
    for (const line of othersThatRead) {
      const [columns, fields] = [await run(`${line} --columns help`), await run(`${line} --json=help`)];
      const table = await run(`${line} -o csv`);
      assert.is(
        table.stdout.split(/\r?\n/)[0],
        columns.stdout.trim().replaceAll('\n', ','),
        `${line}: ${table.stderr}`,
      );
      const whole: unknown = JSON.parse((await run(`${line} --json`)).stdout);
      const row: unknown = Array.isArray(whole) ? (whole[0] ?? {}) : whole;
      const known = new Set(fields.stdout.trim().split('\n'));
      const unknown = Object.keys(Object(row)).filter((field) => !known.has(field));
      assert.equal(unknown, [], line);
    }
    assert.is((await run('token get eternal --columns expires')).stdout, '99999999999999\n');
    assert.match((await run('token list --json=help')).stdout, /^id\nuser_id\nkey\n/);
    const wrong = await run('token create --name spoilt --quota unlimited --json=id,nope');
    assert.is(wrong.code, 3);
    assert.match(wrong.stderr, /no field nope; there are id, user_id, key,/);
    assert.is((await run('token get spoilt')).code, 6, 'it was made');
    assert.is((await run('channel list --by-tag --json=tag,channels')).stdout, '[]\n');
    const complete = async (...words: string[]) =>
      (await runProgram(['__complete', '--', ...words], { environment })).stdout;
    assert.is(await complete('token', 'list', '--json=remain'), '--json=remain_quota\t\n');
    assert.is(await complete('token', 'list', '--json=id,unl'), '--json=id,unlimited_quota\t\n');
    assert.is(await complete('chat', '--json=te'), '--json=text\t\n');
    assert.is(await complete('token', 'list', '--sort', 'remain'), 'remain_quota\t\n');
    assert.is(await complete('token', 'list', '--columns', 'id,na'), 'id,name\t\n');
    assert.is(
      await complete('account', 'access-token', '--json='),
      '',
      'nothing is said where nothing is printed by name',
    );
  } finally {
    await daemon.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

names.run();
