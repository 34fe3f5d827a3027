/** The screens line after line: what is read out, one prompt at a time, and nothing that only a drawing could tell. */
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { screensOf } from '../../../cli/screens/all-screens.ts';
import { PlainScreens } from '../../../cli/screens/plain.ts';
import { Refresher, realClock } from '../../../cli/screens/refresh.ts';
import type { UserView } from '../../../daemon/contract/users.ts';
import { deskFor } from '../../support/screen-desk.ts';
import { until } from '../../support/until.ts';

const plain = suite('screens without drawing');

const alice: Partial<UserView> = { id: 7, username: 'alice', role: 1, status: 1, group: 'default', quota: 5 };

/** A server that knows one user, and keeps what it is asked to make. */
function usersServer() {
  const made: unknown[] = [];
  const answer = (data: unknown) => Response.json({ success: true, message: '', data });
  const fetch = async (address: string | URL | Request, init?: RequestInit) => {
    if (init?.method === 'POST') {
      made.push(JSON.parse(String(init.body)));
      return answer({ ...alice, id: 8, username: 'bob' });
    }
    return String(address).includes('/api/user/')
      ? answer({ items: [alice], total: 1, page: 1, page_size: 100 })
      : answer([]);
  };
  return { made, fetch };
}

/** The screens of users, read and written line by line. */
function openUsers(fetch: typeof globalThis.fetch, onCommand: (words: readonly string[]) => Promise<void>) {
  const desk = deskFor({ lang: 'en', isPlain: true, fetch });
  const refresher = new Refresher({ clock: realClock, onAnswer: (failure) => desk.refreshed(failure) });
  const screens = screensOf(desk, refresher);
  const [input, output] = [new PassThrough(), new PassThrough()];
  let said = '';
  output.on('data', (chunk) => {
    said += chunk;
  });
  const deps = { desk, refresher, screens, first: screens.users, input, output, quietMs: 20, onCommand };
  const ended = new PlainScreens(deps).run().finally(() => refresher.end());
  const typed = async (line: string, shown: RegExp) => {
    await until(() => shown.test(said));
    said = '';
    input.write(`${line}\n`);
  };
  return { ended, typed };
}

plain('are read out, ask one thing at a time, and are left by q', async () => {
  const server = usersServer();
  const commands: (readonly string[])[] = [];
  const { ended, typed } = openUsers(server.fetch, async (words) => void commands.push(words));
  await typed('?', /> ID 7, NAME alice, GROUP default, ROLE user, STATUS enabled, BALANCE \$5[\s\S]*key: $/);
  await typed('n', /\+ balance, n new[\s\S]*key: $/);
  await typed('bob', /^Name \(1-20 characters\): $/m);
  await typed('a good password', /Password \(at least 8 characters\): $/);
  await typed('', /Group \(empty: default\): $/);
  await typed('', /Balance \(.*\): $/);
  await typed('d', /bob can sign in[\s\S]*key: $/);
  assert.equal(server.made, [{ username: 'bob', password: 'a good password' }]);
  await typed('.', /Type alice to delete the account: $/);
  await typed(":channel edit 3 --name 'my own'", /key: $/);
  await typed('q', /key: $/);
  assert.is(await ended, 'quit');
  assert.equal(commands, [['channel', 'edit', '3', '--name', 'my own']]);
});

plain('take keys by the names that they are listed under, and press none of their letters', async () => {
  const server = usersServer();
  const { ended, typed } = openUsers(server.fetch, async () => undefined);
  await typed('?', /> ID 7[\s\S]*key: $/);
  await typed('Tab', /, Down down, PgUp page up, [\s\S]*Tab other pane[\s\S]*key: $/);
  await typed('PgDn', /^key: $/);
  await typed('q', /^key: $/);
  assert.is(await ended, 'quit');
});

plain('ask again without a word of a secret, and wait for a command before they ask on', async () => {
  const server = usersServer();
  const refusing: typeof globalThis.fetch = async (address, init) =>
    init?.method === 'POST'
      ? Response.json({ success: false, message: 'too short', code: 'invalid_params', field: 'password' })
      : server.fetch(address, init);
  let end: () => void = () => undefined;
  const whole = new Promise<void>((resolve) => {
    end = resolve;
  });
  const { ended, typed } = openUsers(refusing, () => whole);
  await typed('n', /key: $/);
  await typed('bob', /^Name \(1-20 characters\): $/m);
  await typed('secret', /Password \(at least 8 characters\): $/);
  await typed('', /Group \(empty: default\): $/);
  await typed('', /Balance \(.*\): $/);
  await typed('.', /Password \(at least 8 characters\) \[\*\*\*\]: $/);
  await typed('y', /Leave without saving\? \(y\/N\): $/);
  await typed('S', /key: $/);
  let isAsked = false;
  const asked = typed('q', /key: $/).then(() => {
    isAsked = true;
  });
  await sleep(200);
  assert.not.ok(isAsked, 'while the command has the terminal');
  end();
  await asked;
  assert.is(await ended, 'quit');
});

plain.run();
