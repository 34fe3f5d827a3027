/** Users and codes by their exact names, where more others have names that contain them than a page holds. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runProgram, wordsOf } from '../support/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';

const found = suite('names on the command line');

let daemon: TestDaemon;
found.before(async () => {
  daemon = await startTestDaemon({ config: { 'limits.search.enabled': false } });
});
found.after(() => daemon?.stop());

async function output(line: string): Promise<string> {
  const environment = {
    TOLLGATE_CONFIG_DIR: '/nonexistent',
    TOLLGATE_URL: daemon.url,
    TOLLGATE_ACCESS_TOKEN: daemon.accessToken,
  };
  const ended = await runProgram(wordsOf(line), { environment });
  assert.is(ended.code, 0, ended.stderr);
  return ended.stdout;
}

const others = 110;

found('find a user by name and by address among many who are called alike', async () => {
  const { users } = daemon.daemon.foundation.database.stores;
  const make = (username: string) => users.insert({ username, email: `${username}@example.org`, createdAt: 1 });
  await make('li');
  for (let at = 0; at < others; at += 1) await make(`li-${at}`);
  assert.is(await output('user get li --json=username'), '{"username":"li"}\n');
  assert.is(await output('user get li@example.org --json=username'), '{"username":"li"}\n');
});

found('find a code by name and by its key among many whose names begin so', async () => {
  await output('redemption create --name sp --quota 1usd -q');
  await output('redemption create --name one --key spri --quota 1usd -q');
  await output(`redemption create --name spring --count ${others} --quota 1usd -q`);
  assert.is(await output('redemption get sp --json=name'), '{"name":"sp"}\n');
  assert.is(await output('redemption get spri --json=name'), '{"name":"one"}\n');
});

found.run();
