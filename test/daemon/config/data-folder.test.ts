import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { claimDataFolder } from '../../../daemon/config/data-folder.ts';
import { TollgateError } from '../../../daemon/errors.ts';

const folder = suite('data folder');

folder('keeps its name from start to start and is given to one at a time', async () => {
  const path = mkdtempSync(join(tmpdir(), 'tollgate-folder-'));
  const first = await claimDataFolder(path);
  try {
    await claimDataFolder(path);
    assert.unreachable();
  } catch (error) {
    assert.ok(error instanceof TollgateError && error.code === 'data_dir_in_use');
  }
  await first.release();
  const second = await claimDataFolder(path);
  assert.is(second.nodeId, first.nodeId);
  await second.release();
  rmSync(path, { recursive: true });
});

folder('is free again after its holder was killed', async () => {
  const path = mkdtempSync(join(tmpdir(), 'tollgate-folder-'));
  const module = new URL('../../../daemon/config/data-folder.ts', import.meta.url).href;
  const program = `import(${JSON.stringify(module)}).then(async ({ claimDataFolder }) => {
    await claimDataFolder(${JSON.stringify(path)});
    process.kill(process.pid, 'SIGKILL');
  });`;
  const ended = spawnSync(process.execPath, ['--import', 'tsx', '-e', program]);
  assert.is(ended.signal, 'SIGKILL', String(ended.stderr));
  const claimed = await claimDataFolder(path);
  await claimed.release();
  rmSync(path, { recursive: true });
});

folder.run();
