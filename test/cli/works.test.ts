/** Drawings and tasks from the command line, against a whole daemon. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runProgram } from '../support/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { newDrawing, newTask } from '../support/work-records.ts';

const works = suite('drawings and tasks on the command line');

let daemon: TestDaemon;
let folder: string;
let annToken: string;

works.before(async () => {
  daemon = await startTestDaemon();
  folder = mkdtempSync(join(tmpdir(), 'tollgate-works-'));
  const { database, keyring, nowSeconds } = daemon.daemon.foundation;
  const ann = await daemon.root.users.create({ username: 'ann', password: 'a good password' });
  annToken = 'ann'.padEnd(32, 'x');
  await database.stores.users.setAccessToken(ann.id, keyring.accessTokenHash(annToken), nowSeconds() + 1000);
  const now = nowSeconds();
  const { midjourneys, tasks } = database.stores;
  for (const [index, userId] of [1, ann.id, ann.id].entries()) {
    const submitted = now - 86_400 * index;
    const ms = { submitTime: submitted * 1000, finishTime: (submitted + 42) * 1000 };
    await midjourneys.insert(newDrawing({ ...ms, userId, mjId: `drawing-${index}`, channelId: 3, quota: 500_000 }));
    const times = { submitTime: submitted, finishTime: submitted + 7 };
    await tasks.insert(
      newTask({ ...times, userId, taskId: `task-${index}`, status: index === 2 ? 'FAILURE' : 'SUCCESS' }),
    );
  }
});
works.after(async () => {
  await daemon?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function run(words: string, accessToken = daemon.accessToken) {
  const environment = { TOLLGATE_CONFIG_DIR: folder, TOLLGATE_URL: daemon.url, TOLLGATE_ACCESS_TOKEN: accessToken };
  return runProgram(words.split(' '), { environment });
}

async function output(words: string, accessToken?: string): Promise<string> {
  const ended = await run(words, accessToken);
  assert.is(ended.code, 0, ended.stderr);
  return ended.stdout;
}

works('are listed newest first, everybody’s to administrators and their own to others', async () => {
  assert.is(
    await output('drawing list --columns id,took,ch,status'),
    ['drawing-2\t42s\t3\tSUCCESS\n', 'drawing-1\t42s\t3\tSUCCESS\n', 'drawing-0\t42s\t3\tSUCCESS\n'].join(''),
  );
  assert.is(await output('drawing list --columns id,ch', annToken), 'drawing-2\t\ndrawing-1\t\n');
  assert.is(await output('task list --mine --columns id,took'), 'task-0\t7s\n');
});

works('are filtered by time, state, user and id', async () => {
  assert.is(await output('drawing list --since 12h --columns id'), 'drawing-0\n');
  assert.is(await output('task list --since 12h --columns id'), 'task-0\n');
  assert.is(await output('task list --status failure --platform suno --columns id'), 'task-2\n');
  assert.is(await output('drawing list --user ann --columns id'), 'drawing-2\ndrawing-1\n');
  assert.is(await output('drawing list --id drawing-1 --kind imagine --channel 3 --columns id'), 'drawing-1\n');
});

works('and log rows of others are refused to who does not see them, not answered with the own ones', async () => {
  for (const words of ['task list --channel 3', 'log list --user root', 'log stat --user root']) {
    const refused = await run(words, annToken);
    assert.equal([refused.code, refused.stdout], [5, ''], words);
    assert.match(refused.stderr, /only administrators choose by --(?:user|channel)/);
  }
  assert.is((await run('usage report --mine --user ann')).code, 3);
  assert.is((await run('log list --user ann', annToken)).code, 0);
});

works('of a state or a kind of log row that there is not are refused with those that there are', async () => {
  const said = async (words: string) => {
    const { code, stdout, stderr } = await run(words);
    assert.equal([code, stdout], [3, ''], words);
    return stderr;
  };
  assert.match(await said('task list --status TYPO'), /there are NOT_START, .*QUEUED.*\n {2}--status\n/);
  assert.match(await said('drawing list --status queued'), /there are NOT_START, .*MODAL.*\n {2}--status\n/);
  assert.match(await said('log list --type TYPO'), 'there are topup, consume, manage, system, checkin');
  assert.match(await said('option list --section TYPO'), /there are .*\n {2}--section\n/);
  assert.match(await said('option list --class TYPO'), /there are .*\n {2}--class\n/);
});

works('are shown one by one, and missed with an exit code of their own', async () => {
  assert.equal(JSON.parse(await output('task get task-1 --json')).properties, { input: 'a song' });
  assert.is(JSON.parse(await output('drawing get drawing-0 --json')).mj_id, 'drawing-0');
  assert.is((await run('task get task-0', annToken)).code, 6);
});

works.run();
