/** What is found beside the daemon: each check right and wrong, with real files, ports and servers, and nothing made by looking. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chineseFinding } from '../../cli/commands/doctor-words.ts';
import { RedisLink } from '../../daemon/cluster/redis.ts';
import type { LocalFinding } from '../../daemon/composition/local-finding.ts';
import type { Environment } from '../../daemon/config/load.ts';
import { createKeyring } from '../../daemon/config/secrets.ts';
import { examineLocally, localChecks } from '../../daemon/local-checks.ts';
import { migrateDatabase } from '../../daemon/maintenance.ts';
import { openDatabase } from '../../daemon/store/database.ts';
import { builtProgram, runBuilt, runProgram, wordsOf } from '../support/command-line.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { testEngines } from '../support/engines.ts';
import { startRedis } from '../support/redis-server.ts';

const doctor = suite('the look beside the daemon');

let folder: string;
/** A data folder and a free port of its own. */
let environment: Record<string, string>;

doctor.before.each(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-doctor-'));
  environment = {
    TOLLGATE_DATA_DIR: join(folder, 'data'),
    TOLLGATE_LISTEN: '127.0.0.1:0',
    MAX_CONCURRENT_RELAY: '100',
  };
});
doctor.after.each(() => rmSync(folder, { recursive: true, force: true }));

const examine = (checks?: readonly string[], more: Environment = {}) =>
  examineLocally(checks ? { checks } : {}, { ...environment, ...more });
const results = (findings: readonly LocalFinding[]) => findings.map(({ check, result }) => `${check} ${result}`);

/** What is found and expected has a Chinese form in tables: no two English words stand side by side in it. */
function expectChinese(findings: readonly LocalFinding[]): void {
  for (const { found, expected } of findings) {
    for (const text of [found, expected])
      assert.not.match(chineseFinding(text).replaceAll(folder, ''), /[a-z]{2} [a-z]{2}/i);
  }
}

/** Makes the database and the secret, as a first start does. */
async function install(): Promise<void> {
  await migrateDatabase({}, environment);
  writeFileSync(join(folder, 'data', 'secret'), 'f'.repeat(64), { mode: 0o600 });
}

doctor('makes nothing where nothing was installed yet, and says so', async () => {
  const findings = await examine();
  const told = results(findings).filter((line) => !/^(?:disk|memory|files)/.test(line));
  assert.equal(told, [
    'config ok',
    'secret warn',
    'database warn',
    'redis skip',
    'clock database skip',
    'clock redis skip',
    'port ok',
    'zone ok',
  ]);
  assert.equal(readdirSync(folder), []);
  for (const { ms } of findings) assert.ok(Number.isInteger(ms) && ms >= 0);
  expectChinese(findings);
});

doctor('finds a sound installation sound', async () => {
  await install();
  const findings = await examine(['config', 'secret', 'database', 'port', 'zone'], { TIME_ZONE: 'Asia/Shanghai' });
  // A busy disk takes longer than it should.
  const told = results(findings).map((result) => result.replace('database write warn', 'database write ok'));
  assert.equal(told, [
    'config ok',
    'secret ok',
    'database ok',
    'migrations ok',
    'database write ok',
    'port ok',
    'zone ok',
  ]);
  expectChinese(findings);
  assert.match(findings[2]?.found ?? '', /^SQLite 3\.\d+/);
  assert.match(findings[6]?.found ?? '', /^Asia\/Shanghai, where it is \d\d:\d\d$/);
});

doctor('tells every problem of the configuration, and looks at nothing else then', async () => {
  const file = join(folder, 'config.yaml');
  writeFileSync(file, 'listne: 127.0.0.1:1\nsecret: changeme\n');
  const findings = await examineLocally({ config: file }, environment);
  const [first, second, ...others] = findings;
  assert.equal([first?.result, second?.result], ['fail', 'fail']);
  assert.match(`${first?.found} ${second?.found}`, /listne/);
  assert.match(`${first?.found} ${second?.found}`, /placeholder/);
  assert.equal([...new Set(others.map(({ result }) => result))], ['skip']);
  assert.is(others.length, localChecks.length - 1);
});

doctor('warns of what is set in vain', async () => {
  const [sound, idle] = await examine(['config'], { BATCH_UPDATE_ENABLED: 'true' });
  assert.equal([sound?.result, idle?.result], ['ok', 'warn']);
  assert.match(idle?.found ?? '', /batch_update_enabled/);
});

doctor('finds a secret that is open, empty or gone', async () => {
  await install();
  const path = join(folder, 'data', 'secret');
  chmodSync(path, 0o644);
  const [open] = await examine(['secret']);
  assert.equal([open?.result, open?.remedy], ['fail', `chmod 600 ${path}`]);
  assert.match(open?.found ?? '', /0644/);
  chmodSync(path, 0o600);
  writeFileSync(path, 'short');
  assert.equal(results(await examine(['secret'])), ['secret fail']);
  rmSync(path);
  const [gone] = await examine(['secret']);
  assert.equal([gone?.result, gone?.expected], ['fail', 'the secret that this database was made with']);
  assert.equal(results(await examine(['secret'], { TOLLGATE_SECRET: 'a secret of one own choice' })), ['secret ok']);
});

doctor('finds a secret that opens nothing of the database, in the file and of the configuration', async () => {
  await install();
  const path = join(folder, 'data', 'secret');
  const database = await openDatabase({ url: `sqlite:${join(folder, 'data', 'tollgate.db')}` });
  try {
    const place = { table: 'options', column: 'value', row: 'SMTPToken' };
    await database.stores.options.set('SMTPToken', createKeyring('f'.repeat(64)).seal(place, 'of the mail server'));
  } finally {
    await database.close();
  }
  assert.equal(results(await examine(['secret'])), ['secret ok']);
  writeFileSync(path, '0'.repeat(64), { mode: 0o600 });
  for (const more of [{}, { TOLLGATE_SECRET: 'a secret of one own choice' }]) {
    const findings = await examine(['secret'], more);
    assert.equal(
      findings.map(({ result, found, expected }) => [result, found, expected]),
      [['fail', 'opens none of the 1 sealed values of the database', 'the secret that this database was made with']],
    );
    expectChinese(findings);
  }
});

doctor('says why it cannot look into the data folder, rather than that nothing was made there', async () => {
  // Not a folder that is forbidden, as root may enter those too: the system tells both the same way.
  writeFileSync(join(folder, 'data'), '');
  const findings = await examine(['secret', 'database']);
  assert.equal(results(findings), ['secret fail', 'database fail']);
  for (const { found } of findings)
    assert.match(found, /^ENOTDIR: not a directory, stat '.+data\/(?:secret|tollgate\.db)'$/);
});

doctor('finds a database that is away, old, or newer than the program', async () => {
  await install();
  const url = `sqlite:${join(folder, 'data', 'old.db')}`;
  const database = await openDatabase({ url });
  await database.close();
  const [, old] = await examine(['database'], { TOLLGATE_DATABASE_URL: url });
  assert.equal([old?.check, old?.result, old?.remedy], ['migrations', 'warn', 'tollgate migrate']);
  const [away] = await examine(['database'], { TOLLGATE_DATABASE_URL: 'postgres://u:p@127.0.0.1:9/none' });
  assert.is(away?.result, 'fail');
  assert.not.match(away?.found ?? '', /u:p/);
  const newer = await openDatabase({ url: `sqlite:${join(folder, 'data', 'tollgate.db')}` });
  await newer.transaction(({ schemaMigrations }) =>
    schemaMigrations.apply({ name: '9999-of-tomorrow', up: async () => undefined }, 1),
  );
  await newer.close();
  const [, unknown] = await examine(['database']);
  assert.equal([unknown?.check, unknown?.result], ['migrations', 'fail']);
  assert.match(unknown?.found ?? '', /9999-of-tomorrow/);
});

doctor('asks PostgreSQL and Redis what they are, and how far their clocks are', async () => {
  const [postgres, redis] = await Promise.all([testEngines.postgres.empty(), startRedis()]);
  const link = new RedisLink({ url: redis.url, report: () => undefined });
  try {
    const servers = { TOLLGATE_DATABASE_URL: postgres.url, TOLLGATE_REDIS_URL: redis.url };
    const findings = await examine(['database', 'redis', 'clock'], servers);
    assert.equal(results(findings), [
      'database ok',
      'migrations warn',
      'redis ok',
      'clock database ok',
      'clock redis ok',
    ]);
    assert.match(findings[0]?.found ?? '', /^PostgreSQL \d+.*, \d+ of \d+ connections used$/);
    assert.match(findings[2]?.found ?? '', /^Redis \d+\.\d+/);
    assert.match(findings[3]?.found ?? '', /^0\.\d s apart$/);
    await migrateDatabase({}, { ...environment, ...servers });
    const [, , writing] = await examine(['database'], servers);
    assert.is(writing?.check, 'database write');
    assert.match(writing?.found ?? '', /^\d+\.\d ms$/);
    const [crowded] = await examine(['database'], {
      ...servers,
      TOLLGATE_DATABASE_POOL_SIZE: '200',
      TOLLGATE_SECRET: 'a secret of one own choice',
      TOLLGATE_NODE_COUNT: '50',
    });
    assert.equal([crowded?.result, crowded?.expected], ['fail', 'more than the 10000 that the nodes may open']);
    await link.start();
    await link.attempt((client) => client.config('SET', 'maxmemory-policy', 'allkeys-lru'));
    assert.equal(results(await examine(['redis'], servers)), ['redis warn']);
    const [away] = await examine(['redis'], { TOLLGATE_REDIS_URL: 'redis://127.0.0.1:9' });
    assert.equal(
      [away?.result, away?.expected, away?.remedy],
      ['fail', 'a Redis that answers', 'tollgate config print'],
    );
  } finally {
    await link.stop();
    await Promise.all([postgres.drop(), redis.stop()]);
  }
});

doctor('knows the daemon that has the port from a stranger', async () => {
  const dataDir = join(folder, 'running');
  const daemon = await startTestDaemon({ dataDir });
  try {
    const listen = daemon.url.replace('http://', '');
    const [own] = await examine(['port'], { TOLLGATE_DATA_DIR: dataDir, TOLLGATE_LISTEN: listen });
    assert.equal([own?.result, own?.found], ['ok', `${listen}, taken by the daemon that runs`]);
    const [foreign] = await examine(['port'], { TOLLGATE_LISTEN: listen });
    assert.equal([foreign?.result, foreign?.found], ['fail', `${listen}: EADDRINUSE`]);
    const [nowhere] = await examine(['port'], { TOLLGATE_LISTEN: '203.0.113.7:3000' });
    assert.is(nowhere?.result, 'fail');
  } finally {
    await daemon.stop();
  }
});

doctor('measures disk, memory and open files against what is needed', async () => {
  const [disk] = await examine(['disk']);
  assert.is(disk?.check, `disk ${folder}`, 'the nearest folder that there is');
  assert.match(disk?.found ?? '', /^\d+ % free, \d+ MiB$/);
  const [memory] = await examine(['memory']);
  assert.match(memory?.found ?? '', /^\d+ MiB, heap up to \d+ MiB$/);
  const [files] = await examine(['files'], { MAX_CONCURRENT_RELAY: '900000000' });
  assert.is.not(files?.result, 'ok');
  assert.match(files?.expected ?? '', /900000000 calls/);
});

doctor('is a command, by the same names, and ends with 2 for what is wrong', async () => {
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data', 'secret'), 'f'.repeat(64), { mode: 0o644 });
  const local = {
    examine: (options: { config?: string; checks?: readonly string[] }) => examineLocally(options, environment),
  };
  const run = (line: string) => runProgram(wordsOf(line), { environment: {}, local });
  for (const name of localChecks)
    assert.ok([0, 2].includes((await run(`doctor --local --only ${name} -q`)).code ?? -1));
  const unknown = await run('doctor --local --only weather');
  assert.is(unknown.code, 3);
  assert.ok(unknown.stderr.includes(localChecks.join(', ')));
  const open = await run('doctor --local --only secret,zone --json');
  assert.is(open.code, 2);
  const rows: LocalFinding[] = JSON.parse(open.stdout);
  assert.equal(results(rows), ['secret fail', 'zone ok']);
  assert.equal(Object.keys(rows[0] ?? {}).sort(), ['check', 'expected', 'found', 'ms', 'remedy', 'result']);
  assert.is((await run('doctor --local --skip secret,config,disk,redis,clock,port,files,memory --strict')).code, 2);
  assert.is((await run('doctor --config x.yaml')).code, 3);
});

doctor('runs in the built program, which reads its own configuration', async () => {
  assert.ok(existsSync(builtProgram));
  const ended = await runBuilt(wordsOf('doctor --local --only config,zone -o tsv --columns check,result'), {
    environment,
  });
  assert.equal([ended.code, ended.stdout], [0, 'config\tok\nzone\tok\n'], ended.stderr);
});

doctor.run();
