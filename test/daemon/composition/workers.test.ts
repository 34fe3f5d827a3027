/** What the workers of a start before this one left in the data folder. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adoptJournals } from '../../../daemon/composition/workers.ts';
import { claimDataFolder } from '../../../daemon/config/data-folder.ts';
import { loadConfig } from '../../../daemon/config/load.ts';

const test = suite('workers that are not started again');

test('leave no files of calls that died with them, and living ones keep theirs', async () => {
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

test.run();
