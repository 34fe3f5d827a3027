/** The screens line after line: what is read out, one prompt at a time, and nothing that only a drawing could tell. */
import { PassThrough } from 'node:stream';
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

plain('are read out, ask one thing at a time, and are left by q', async () => {
  const server = usersServer();
  const desk = deskFor({ lang: 'en', isPlain: true, fetch: server.fetch });
  const refresher = new Refresher({ clock: realClock, onAnswer: (failure) => desk.refreshed(failure) });
  const screens = screensOf(desk, refresher);
  const [input, output] = [new PassThrough(), new PassThrough()];
  let said = '';
  output.on('data', (chunk) => {
    said += chunk;
  });
  const commands: (readonly string[])[] = [];
  const screen = new PlainScreens({
    desk,
    refresher,
    screens,
    first: screens.users,
    input,
    output,
    quietMs: 20,
    onCommand: async (words) => void commands.push(words),
  });
  const ended = screen.run();
  const typed = async (line: string, shown: RegExp) => {
    await until(() => shown.test(said));
    said = '';
    input.write(`${line}\n`);
  };
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
  refresher.end();
});

plain.run();
