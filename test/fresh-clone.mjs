/**
 * A newcomer's first minutes, in a clone of what is committed here: `npm start` as the first command, the page, the
 * status and the set-up by the command line. With `--test` the first command is `npm test` instead. Plain JavaScript,
 * as nothing may be installed before. It installs packages from the registry, so no other test does this.
 *   npm run fresh [-- --test]
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tollgate-fresh-'));
const clone = join(folder, 'tollgate');

/** Without settings of a Tollgate that lives on this machine. */
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TOLLGATE_'))),
  TOLLGATE_CONFIG_DIR: join(folder, 'profiles'),
  TOLLGATE_LANG: 'en',
};

function run(command, args, { input = '', env = {} } = {}) {
  const options = { cwd: clone, env: { ...environment, ...env }, input, encoding: 'utf8' };
  const done = spawnSync(command, args, options);
  assert.equal(done.status, 0, `${command} ${args.join(' ')}\n${done.stdout}${done.stderr}`);
  return done.stdout;
}

/** Runs `npm start` in a process group of its own; resolves when it listens. */
function start() {
  const options = { cwd: clone, env: { ...environment, TOLLGATE_LISTEN: '127.0.0.1:0' }, detached: true };
  const child = spawn('npm', ['start'], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  return new Promise((resolve, reject) => {
    let log = '';
    const hear = (chunk) => {
      log += chunk;
      const url = /listening on (http:\S+)/.exec(log)?.[1];
      if (url === undefined) return;
      const stop = () => {
        process.kill(-child.pid, 'SIGTERM');
        return ended;
      };
      resolve({ url, stop });
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('close', (code) => reject(new Error(`npm start ended with ${code}\n${log}`)));
  });
}

async function firstStart() {
  const began = Date.now();
  const { url, stop } = await start();
  console.log(`npm start: listening after ${Math.round((Date.now() - began) / 1000)} s`);
  try {
    const page = await (await fetch(url)).text();
    const script = /<script type="module"[^>]* src="([^"]+)"/.exec(page)?.[1];
    assert.equal((await fetch(new URL(script, url))).headers.get('content-type'), 'text/javascript; charset=utf-8');
    const statusOf = async () => (await (await fetch(`${url}/api/status`)).json()).data;
    assert.equal((await statusOf()).setup, false);
    const tollgate = (args, input) =>
      run(process.execPath, ['dist/bin/tollgate.js', ...args], { input, env: { TOLLGATE_URL: url } });
    const account = ['--username', 'root', '--password-stdin', '--mode', 'external', '--login'];
    tollgate(['setup', ...account], 'a password of yours\n');
    assert.equal((await statusOf()).setup, true);
    assert.match(tollgate(['whoami']), /root/);
    console.log('the page, the status and the set-up: as promised');
  } finally {
    await stop();
  }
}

try {
  const cloned = spawnSync('git', ['clone', '--quiet', root, clone], { stdio: 'inherit' });
  assert.equal(cloned.status, 0, 'git clone');
  if (process.argv.includes('--test')) {
    const done = spawnSync('npm', ['test'], { cwd: clone, env: environment, stdio: 'inherit' });
    assert.equal(done.status, 0, 'npm test');
  } else {
    await firstStart();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
