/** How what the daemon stands on is closed again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openFoundation, systemClock } from '../../../daemon/composition/foundation.ts';
import { isDataFolderClaimed } from '../../../daemon/config/data-folder.ts';
import { loadConfig } from '../../../daemon/config/load.ts';
import { createLogger } from '../../../daemon/telemetry/logger.ts';

const test = suite('the foundation');

test('closes the database and gives the data folder back also where a part before them cannot be closed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-foundation-'));
  const lines: string[] = [];
  try {
    const config = loadConfig({ env: {}, overrides: { data_dir: folder } });
    const log = createLogger({ level: 'error', write: (line) => lines.push(line) });
    const foundation = await openFoundation(config, { log, clock: systemClock, folder });
    const broken = new Error('a listener is gone');
    foundation.snapshots.stop = () => {
      throw broken;
    };
    assert.is(await foundation.stop().catch((error: unknown) => error), broken);
    assert.is(await isDataFolderClaimed(folder), false);
    assert.is(lines.length, 1);
    assert.match(lines[0] ?? '', /"part":"snapshots".*a part of the foundation could not be closed in order/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.run();
