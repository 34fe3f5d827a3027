import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { placedKeys } from '../../../daemon/config/key-table.ts';
import { ConfigError, type ConfigProblem, loadConfig, readConfig } from '../../../daemon/config/load.ts';
import { readSources } from '../../support/source-files.ts';
import { createWorkspace, type Workspace } from '../../support/workspace.ts';

const test = suite<{ workspace: Workspace }>('config');

test.before.each((context) => {
  context.workspace = createWorkspace();
});
test.after.each(({ workspace }) => workspace.remove());

function fileOf(workspace: Workspace, text: string): string {
  const path = workspace.path('config.yaml');
  writeFileSync(path, text);
  return path;
}

/** Problems of a file with this text, by path. */
function problemsOf(workspace: Workspace, text: string): Record<string, string> {
  const { problems, config } = readConfig({ file: fileOf(workspace, text), env: {} });
  if (problems.length > 0) assert.is(config, undefined);
  return Object.fromEntries(problems.map(({ path, message }: ConfigProblem) => [path, message]));
}

test('needs nothing at all: SQLite in the data folder, counters in the process, port 3000', () => {
  const config = loadConfig({ env: {} });
  assert.equal(config.listen, { host: '0.0.0.0', port: 3000 });
  assert.is(config.database.url, `sqlite:${join('data', 'tollgate.db')}`);
  assert.is(config.redis.url, '');
  assert.is(config.secret, '');
  assert.is(config.relay.streaming_timeout_seconds, 300);
  assert.equal(config.limits.critical, { enabled: true, count: 20, seconds: 1200 });
});

test('cannot be changed afterwards, at any depth', () => {
  const config = loadConfig({ env: { TRUSTED_PROXIES: '10.0.0.1' } });
  for (const part of [config, config.relay, config.limits.critical, config.listen, config.trusted_proxies]) {
    assert.ok(Object.isFrozen(part));
  }
});

test('puts the embedded database into the data folder unless an address says otherwise', () => {
  assert.is(
    loadConfig({ env: { TOLLGATE_DATA_DIR: '/var/tollgate' } }).database.url,
    'sqlite:/var/tollgate/tollgate.db',
  );
  const env = { TOLLGATE_DATA_DIR: '/var/tollgate', TOLLGATE_DATABASE_URL: 'sqlite:./data/tollgate.db' };
  assert.is(loadConfig({ env }).database.url, 'sqlite:./data/tollgate.db');
});

test('lets flags win over the environment, that over the file, and the file over defaults', ({ workspace }) => {
  const file = fileOf(workspace, 'listen: 127.0.0.1:1\nlog:\n  level: warn\nrelay:\n  connect_timeout_seconds: 7\n');
  const env = { TOLLGATE_LISTEN: '127.0.0.1:2', TOLLGATE_LOG_LEVEL: 'error' };
  const config = loadConfig({ file, env, overrides: { listen: '127.0.0.1:3' } });
  assert.is(config.listen.port, 3);
  assert.is(config.log.level, 'error');
  assert.is(config.relay.connect_timeout_seconds, 7);
  const sources = new Map(readConfig({ file, env }).entries.map((entry) => [entry.path, entry.source]));
  assert.is(sources.get('listen'), 'TOLLGATE_LISTEN');
  assert.is(sources.get('relay.connect_timeout_seconds'), file);
  assert.is(sources.get('relay.retry_max_seconds'), 'default');
});

test('takes published environment names with and without the prefix, the prefixed one first', () => {
  assert.is(loadConfig({ env: { STREAMING_TIMEOUT: '60' } }).relay.streaming_timeout_seconds, 60);
  const both = { STREAMING_TIMEOUT: '60', TOLLGATE_STREAMING_TIMEOUT: '90' };
  assert.is(loadConfig({ env: both }).relay.streaming_timeout_seconds, 90);
  assert.is(loadConfig({ env: { REDIS_CONN_STRING: 'redis://r:6379' } }).redis.url, 'redis://r:6379');
  assert.is(loadConfig({ env: { GLOBAL_API_RATE_LIMIT_ENABLE: 'false' } }).limits.global_api.enabled, false);
  assert.is(loadConfig({ env: { EMAIL_RATE_LIMIT_DURATION: '45' } }).limits.mail.seconds, 45);
});

test('treats an empty variable as one that is not set', () => {
  assert.is(loadConfig({ env: { TOLLGATE_LISTEN: '', TOLLGATE_REDIS_URL: '' } }).listen.port, 3000);
});

test('names the path of every unknown key and the nearest known one', ({ workspace }) => {
  const problems = problemsOf(
    workspace,
    'lisen: 3000\nrelay:\n  conect_timeout_seconds: 3\nstreaming_timeout_seconds: 4\nzzzzzzzz: 1\n',
  );
  assert.match(problems.lisen ?? '', 'did you mean listen?');
  assert.match(problems['relay.conect_timeout_seconds'] ?? '', 'did you mean connect_timeout_seconds?');
  assert.match(problems.streaming_timeout_seconds ?? '', 'did you mean relay.streaming_timeout_seconds?');
  assert.match(problems.zzzzzzzz ?? '', 'expected one of listen, data_dir');
});

test('says what was expected of every value that does not fit, all at once', ({ workspace }) => {
  const problems = problemsOf(
    workspace,
    [
      'listen: somewhere',
      'trusted_proxies: [10.0.0.0/99]',
      'database:\n  url: mysql://root@db/one\n  pool_size: "10"',
      'redis: 6379',
      'log:\n  level: loud',
      'site:\n  time_zone: Mars/Olympus',
      'security:\n  reveal_channel_keys: maybe',
      'relay:\n  connect_timeout_seconds: 0.5',
    ].join('\n'),
  );
  assert.match(problems.listen ?? '', 'expected host:port');
  assert.match(problems.trusted_proxies ?? '', 'an address or a range such as 10.0.0.0/8');
  assert.match(problems['database.url'] ?? '', 'expected sqlite:PATH or postgres://');
  assert.match(problems['database.pool_size'] ?? '', 'expected a whole number from 2 to 500');
  assert.match(problems.redis ?? '', 'expected a section with url, key_prefix');
  assert.match(problems['log.level'] ?? '', 'expected one of debug, info');
  assert.match(problems['site.time_zone'] ?? '', 'expected a time zone');
  assert.match(problems['security.reveal_channel_keys'] ?? '', 'expected true or false');
  assert.match(problems['relay.connect_timeout_seconds'] ?? '', 'expected a whole number');
});

test('says of digits that are no text for YAML that they need quotes, and of ports how high they go', ({
  workspace,
}) => {
  const text =
    'node:\n  id: 7\nsecret: 83726154908172635401\nredis:\n  key_prefix: [a]\n  url: 5\nlisten: 127.0.0.1:65536\n';
  assert.equal(problemsOf(workspace, text), {
    'node.id': 'expected a text in quotes',
    secret: 'expected a text in quotes',
    'redis.key_prefix': 'expected a text',
    'redis.url': 'expected redis://user:password@host:port/number',
    listen: 'expected a port from 0 to 65535',
  });
  assert.match(problemsOf(workspace, 'secret: [a]\n').secret ?? '', 'expected at least 16 characters');
  assert.match(
    Object.values(problemsOf(workspace, 'listen: 1\n---\nlisten: 2\n'))[0] ?? '',
    /one document, not several$/,
  );
});

test('refuses ports of metrics that are taken, or that there are not', () => {
  const problemOf = (env: Record<string, string>) => readConfig({ env }).problems.map(({ message }) => message);
  const common = { TOLLGATE_DATABASE_URL: 'postgres://h/d', TOLLGATE_WORKERS: '4', TOLLGATE_LISTEN: '127.0.0.1:9003' };
  for (const place of [':9003', '127.0.0.1:9000', '[::]:9002']) {
    const problems = problemOf({ ...common, TOLLGATE_METRICS_LISTEN: place });
    assert.equal(problems, ['needs a port of its own, and 9003 is that of listen'], place);
  }
  for (const place of ['', ':0', ':9004', ':8999', '127.0.0.2:9003', ':65532']) {
    assert.equal(problemOf({ ...common, TOLLGATE_METRICS_LISTEN: place }), [], place);
  }
  assert.equal(problemOf({ ...common, TOLLGATE_METRICS_LISTEN: ':65533' }), [
    'needs 4 ports, one for each worker: expected at most 65532',
  ]);
});

test('names the variable a bad value came from', () => {
  const { problems } = readConfig({ env: { CONNECT_TIMEOUT: 'soon' } });
  assert.equal(problems, [
    {
      path: 'relay.connect_timeout_seconds',
      message: 'expected a whole number from 1 to 300',
      environment: 'CONNECT_TIMEOUT',
    },
  ]);
});

test('points at the line of broken YAML and at a file that is not there', ({ workspace }) => {
  assert.match(Object.values(problemsOf(workspace, 'listen: 1\n  relay: [\n'))[0] ?? '', /line \d+, column \d+/);
  const { problems } = readConfig({ file: workspace.path('absent.yaml'), env: {} });
  assert.match(problems[0]?.message ?? '', 'cannot be read');
});

test('says what an asterisk means that nobody has quoted', ({ workspace }) => {
  const file = workspace.path('config.yaml');
  const [problem = ''] = Object.values(problemsOf(workspace, 'listen: *:3000\n'));
  assert.match(problem, /^Unresolved alias .*: :3000; a text that begins with \* needs quotes$/);
  const ten = (name: string) => `[${Array(10).fill(`*${name}`).join()}]`;
  const [bomb = ''] = Object.values(
    problemsOf(
      workspace,
      `a: &a [${Array(10).fill('x').join()}]\nb: &b ${ten('a')}\nc: &c ${ten('b')}\nd: ${ten('c')}\n`,
    ),
  );
  assert.match(bomb, /^Excessive alias count/);
  assert.equal(
    readConfig({ file: fileOf(workspace, 'listen: *:3000\n'), env: {} }).problems.map(({ path }) => path),
    [file],
  );
  assert.is(
    loadConfig({ file: fileOf(workspace, 'relay: { max_concurrent: &n 9, max_concurrent_per_user: *n }\n'), env: {} })
      .relay.max_concurrent_per_user,
    9,
  );
});

test('reads an empty file and empty sections as defaults', ({ workspace }) => {
  assert.equal(problemsOf(workspace, ''), {});
  assert.equal(problemsOf(workspace, 'relay:\nlimits:\n  critical:\n'), {});
});

test('refuses secrets that guides print and secrets too short to hold', () => {
  for (const secret of [
    'random_string',
    'change-me-please-now',
    'short',
    'aaaaaaaaaaaaaaaaaaaaaaaa',
    '<your secret here>',
  ]) {
    assert.throws(
      () => loadConfig({ env: { SESSION_SECRET: secret } }),
      (error: unknown) => {
        return error instanceof ConfigError && error.problems[0]?.path === 'secret' && !error.message.includes(secret);
      },
    );
  }
  assert.is(loadConfig({ env: { TOLLGATE_SECRET: 'k3'.repeat(16) } }).secret, 'k3'.repeat(16));
});

test('refuses several nodes without a common secret or on an embedded database', () => {
  const { problems } = readConfig({ env: { TOLLGATE_NODE_COUNT: '2' } });
  assert.equal(
    problems.map(({ path }) => path),
    ['secret', 'database.url'],
  );
});

test('refuses a name of a node that its rows have no room for', () => {
  const problemsOf = (name: string) => readConfig({ env: { NODE_NAME: name } }).problems.map(({ path }) => path);
  assert.equal(problemsOf('n'.repeat(101)), ['node.id']);
  assert.equal(problemsOf('n'.repeat(100)), []);
});

test('refuses several workers on an embedded database', () => {
  const { problems } = readConfig({ env: { TOLLGATE_WORKERS: '3' } });
  assert.equal(
    problems.map(({ path, message }) => [path, message]),
    [['database.url', 'must name a PostgreSQL database when server.workers is 3']],
  );
  const url = 'postgres://gate@db/gate';
  assert.is(loadConfig({ env: { TOLLGATE_WORKERS: '3', TOLLGATE_DATABASE_URL: url } }).server.workers, 3);
});

test('never prints a secret or the password of an address', () => {
  const env = {
    TOLLGATE_SECRET: 'canary-secret-0123456789',
    SETUP_TOKEN: 'canary-token',
    TOLLGATE_DATABASE_URL: 'postgres://gate:canary@canary-password@db:5432/gate',
    TOLLGATE_REDIS_URL: 'redis://:canary-redis@cache:6379/1',
    TOLLGATE_LOG_SQL_DSN: 'postgres://gate@db/log?sslmode=require&Password=canary&application_name=x',
  };
  const { entries, problems } = readConfig({ env });
  assert.equal(problems, []);
  assert.not.match(JSON.stringify(entries), 'canary');
  const shown = new Map(entries.map(({ path, value }) => [path, value]));
  assert.is(shown.get('database.url'), 'postgres://gate:****@db:5432/gate');
  assert.is(shown.get('redis.url'), 'redis://:****@cache:6379/1');
  const settings = 'sslmode=require&Password=****&application_name=x';
  assert.is(shown.get('database.log_url'), `postgres://gate@db/log?${settings}`);
  assert.is(shown.get('secret'), '****');
});

test('refuses a variable that looks misspelt and lets those of a cluster be', () => {
  const env = { TOLLGATE_DATABSE_URL: 'x', TOLLGATE_PORT_3000_TCP_ADDR: '10.1.2.3', TOLLGATE_ACCESS_TOKEN: 'x' };
  const { config, problems } = readConfig({ env });
  assert.is(config, undefined);
  assert.equal(
    problems.map(({ path }) => path),
    ['TOLLGATE_DATABSE_URL'],
  );
  assert.match(problems[0]?.message ?? '', 'did you mean TOLLGATE_DATABASE_URL?');
});

test('names variables that nothing reads, but for those of the command line and of a cluster', () => {
  const env = {
    TOLLGATE_DATABASE_PASSWORD: 'x',
    TOLLGATE_PORT: '3000',
    TOLLGATE_MADE_UP: '',
    // What Kubernetes sets for a service that is called tollgate, and for one that is called tollgate-web.
    TOLLGATE_SERVICE_HOST: '10.1.2.3',
    TOLLGATE_SERVICE_PORT_HTTP: '3000',
    TOLLGATE_PORT_3000_TCP: 'tcp://10.1.2.3:3000',
    TOLLGATE_WEB_PORT: 'tcp://10.1.2.3:80',
    TOLLGATE_WEB_PORT_80_TCP_ADDR: '10.1.2.3',
  };
  const { config, unknown } = readConfig({ env });
  assert.ok(config);
  assert.equal(
    unknown.map(({ path }) => path),
    ['TOLLGATE_DATABASE_PASSWORD', 'TOLLGATE_PORT'],
  );
  assert.match(unknown[0]?.message ?? '', 'the nearest name is TOLLGATE_DATABASE_URL');
  assert.match(unknown[1]?.message ?? '', 'the nearest name is TOLLGATE_LISTEN');
  const spec = ['ACCESS_TOKEN', 'API_KEY', 'CONFIG_DIR', 'DEBUG', 'FORCE_TTY', 'LANG', 'NO_INPUT', 'PAGER', 'PROFILE'];
  const ofCommandLine = Object.fromEntries([...spec, 'TZ', 'URL'].map((name) => [`TOLLGATE_${name}`, 'x']));
  const read = readConfig({ env: { ...ofCommandLine, TOLLGATE_WORKER_NUMBER: '1' } });
  assert.equal([read.unknown, read.problems], [[], []]);
});

test('reads every form of a listening address', () => {
  const listen = (text: string) => loadConfig({ env: { TOLLGATE_LISTEN: text } }).listen;
  assert.equal(listen('127.0.0.1:80'), { host: '127.0.0.1', port: 80 });
  assert.equal(listen('[::1]:0'), { host: '::1', port: 0 });
  assert.equal(listen(':8080'), { host: '0.0.0.0', port: 8080 });
  assert.equal(listen('8080'), { host: '0.0.0.0', port: 8080 });
  for (const text of ['127.0.0.1', '[nonsense]:80', ':70000']) assert.throws(() => listen(text), /TOLLGATE_LISTEN/);
});

test('says what is set and changes nothing, and why; defaults need no word', () => {
  const env = {
    LOG_SQL_DSN: 'sqlite:./logs.db',
    BATCH_UPDATE_ENABLED: 'true',
    BATCH_UPDATE_INTERVAL: '5',
    TOLLGATE_USER_API_RATE_LIMIT: '50',
    TOLLGATE_USER_API_RATE_LIMIT_DURATION: '30',
  };
  const { idle, problems } = readConfig({ env });
  assert.equal(problems, []);
  assert.equal(
    idle.map(({ path, environment }) => [path, environment]),
    [
      ['database.log_url', 'LOG_SQL_DSN'],
      ['jobs.batch_update_enabled', 'BATCH_UPDATE_ENABLED'],
      ['limits.per_user.count', 'TOLLGATE_USER_API_RATE_LIMIT'],
    ],
  );
  assert.match(idle[0]?.message ?? '', 'has no effect: log rows stay beside the balances');
});

test('has no key that is neither heeded nor says why not', () => {
  const outside = readSources().filter(({ path }) => /^daemon\/(?!config\/schema)/.test(path));
  const words = new Set(outside.flatMap(({ tokens }) => tokens.map(({ text }) => text)));
  const silent = placedKeys().filter(({ path, key }) => {
    // The parts of a window are read by whoever reads the window.
    const name = path
      .replace(/^(limits\..*)\.(?:enabled|count|seconds)$/, '$1')
      .split('.')
      .at(-1);
    return key.idle === undefined && !words.has(name ?? '');
  });
  assert.equal(silent, []);
});

test('refuses an override of a key that does not exist', () => {
  assert.throws(() => loadConfig({ env: {}, overrides: { 'relay.timeout': 1 } }), /relay\.timeout/);
});

test.run();
