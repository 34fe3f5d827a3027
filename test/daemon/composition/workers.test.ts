/** What the workers of a start before this one left in the data folder, and how those of one end. */
import cluster from 'node:cluster';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adoptJournals, superviseWorkers } from '../../../daemon/composition/workers.ts';
import { claimDataFolder } from '../../../daemon/config/data-folder.ts';
import { loadConfig } from '../../../daemon/config/load.ts';
import type { Config } from '../../../daemon/config/schema.ts';
import { gate } from '../../support/gate.ts';
import { until } from '../../support/until.ts';

const test = suite('the workers of a data folder');

test('that are not started again leave no files of calls that died with them, and living ones keep theirs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-workers-'));
  const living = await claimDataFolder(join(folder, 'workers', '2'));
  try {
    const [kept, dead] = ['2', '3'].map((worker) => {
      const uploads = join(folder, 'workers', worker, 'uploads');
      mkdirSync(uploads, { recursive: true });
      writeFileSync(join(uploads, 'tollgate-upload-1'), 'a beginning');
      return join(uploads, 'tollgate-upload-1');
    });
    await adoptJournals({ config: loadConfig({ env: {}, overrides: { data_dir: folder } }), folder });
    assert.equal([existsSync(kept ?? ''), existsSync(dead ?? '')], [true, false]);
  } finally {
    await living.release();
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Listens, and ends when it is told. */
const smallWorker = `
  require('node:net').createServer().listen(0, '127.0.0.1');
  process.on('message', (message) => message === 'stop' && process.exit());
`;

/** Two of them once they are supervised, in a folder that is to be removed. */
function twoSmallWorkers(): { readonly folder: string; readonly config: Config } {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-workers-'));
  const exec = join(folder, 'worker.cjs');
  writeFileSync(exec, smallWorker);
  cluster.setupPrimary({ exec, execArgv: [] });
  const env = { TOLLGATE_WORKERS: '2', TOLLGATE_DATABASE_URL: 'postgres://127.0.0.1/none', TOLLGATE_DATA_DIR: folder };
  return { folder, config: loadConfig({ env }) };
}

test('end in order also where one of them dies in the moment in which it is told', async () => {
  const { folder, config } = twoSmallWorkers();
  const said: string[] = [];
  const { open: stop, opened: stopping } = gate();
  try {
    const supervised = superviseWorkers(config, { say: (line) => said.push(line.en), stopping });
    await until(() => said.includes('workers: 2 share this address'));
    process.kill(Object.values(cluster.workers ?? {})[0]?.process.pid ?? 0, 'SIGKILL');
    // Without a turn of the event loop, in which its end would be heard of.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    stop();
    assert.is(await supervised, 0);
    assert.is(said.at(-1), 'stopped');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('go on beside one for which the machine has no process, which is tried again', async () => {
  const { folder, config } = twoSmallWorkers();
  const { execPath } = process;
  const said: string[] = [];
  const { open: stop, opened: stopping } = gate();
  try {
    const supervised = superviseWorkers(config, { say: (line) => said.push(line.en), stopping });
    await until(() => said.includes('workers: 2 share this address'));
    process.execPath = join(folder, 'none');
    process.kill(Object.values(cluster.workers ?? {})[1]?.process.pid ?? 0, 'SIGKILL');
    await until(() => said.includes('worker 2 ended; it is started again in 2 s'));
    assert.ok(said.includes(`worker 2: spawn ${process.execPath} ENOENT`), said.join('\n'));
    process.execPath = execPath;
    await until(() => Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected()).length === 2);
    stop();
    assert.is(await supervised, 0);
  } finally {
    process.execPath = execPath;
    rmSync(folder, { recursive: true, force: true });
  }
});

test.run();
