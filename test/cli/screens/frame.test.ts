/** The whole picture: one line less than the terminal has, none too wide, in both languages and at every size. */
import { PassThrough } from 'node:stream';
import stringWidth from 'string-width';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CommandContext } from '../../../cli/context.ts';
import { ChannelsScreen } from '../../../cli/screens/channels.ts';
import { CodesScreen } from '../../../cli/screens/codes.ts';
import { Desk } from '../../../cli/screens/desk.ts';
import { linesOf } from '../../../cli/screens/frame.ts';
import { screenKeys } from '../../../cli/screens/keys.ts';
import { LogsScreen } from '../../../cli/screens/logs.ts';
import { OverviewScreen } from '../../../cli/screens/overview.ts';
import { Refresher, realClock } from '../../../cli/screens/refresh.ts';
import { screensFor } from '../../../cli/screens/screen-table.ts';
import { SettingsScreen } from '../../../cli/screens/settings.ts';
import { TokensScreen } from '../../../cli/screens/tokens.ts';
import { UsersScreen } from '../../../cli/screens/users.ts';
import { createClient } from '../../../daemon/contract/client.ts';

const framing = suite('the frame of the screens');

function deskIn(lang: 'en' | 'zh'): Desk {
  const stream = new PassThrough();
  const context = new CommandContext(
    { lang },
    {
      environment: { LANG: 'C.UTF-8' },
      host: { stdin: stream, stdout: stream, stderr: stream },
      signal: new AbortController().signal,
    },
  );
  return new Desk({
    seat: {
      context,
      client: createClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 }),
      money: (units) => `$${units}`,
      quotaPerUnit: 500_000,
      where: { profile: '生产环境', host: 'gw.example.com', username: 'root', role: 100, readOnly: false },
    },
    commands: { known: [], run: () => Promise.resolve(0) },
    columns: () => 80,
    control: () => undefined,
    lend: (work) => work(),
  });
}

function screensAt(desk: Desk) {
  const refresher = new Refresher({ clock: realClock, onAnswer: () => undefined });
  return [
    new OverviewScreen(desk),
    new ChannelsScreen(desk, refresher),
    new UsersScreen(desk, refresher),
    new TokensScreen(desk, refresher),
    new CodesScreen(desk, refresher),
    new LogsScreen(desk, refresher),
    new SettingsScreen(desk, refresher),
  ];
}

framing('fills the terminal but for its last line, whatever is open', () => {
  for (const lang of ['en', 'zh'] as const) {
    const desk = deskIn(lang);
    const [entries, refresh] = [screensFor(100), { word: 'live', periodMs: 5000, since: undefined } as const];
    for (const screen of screensAt(desk)) {
      for (const [columns, rows] of [
        [60, 16],
        [80, 24],
        [120, 40],
        [40, 10],
      ] as const) {
        const check = (isHelpOpen: boolean) => {
          const picture = { desk, entries, screen, tab: 'overview', refresh, isHelpOpen, now: 0 } as const;
          const lines = linesOf(picture, { columns, rows });
          assert.is(lines.length, rows - 1);
          for (const line of lines) assert.ok(stringWidth(line) <= columns, line);
          return lines.join('\n');
        };
        const shown = check(false);
        if (columns === 40) assert.match(shown, '60x16');
        else assert.match(shown, 'gw.example.com');
        check(true);
        desk.tell(
          { en: 'a message '.repeat(40), zh: '一条消息'.repeat(60) },
          { tone: 'bad', command: 'tollgate '.repeat(30) },
        );
        check(false);
        desk.ask({ en: 'a question', zh: '一个问题' }, () => undefined, '答'.repeat(200));
        check(false);
        desk.press({ name: 'Esc', text: '' });
        desk.clearMessage();
        // What stays open is a form, where the screen has one.
        const actions: Readonly<Record<string, (() => void) | undefined>> = screen.actions;
        actions.new?.();
        check(false);
      }
    }
  }
});

framing('has a screen for every tab, and an action for every key', () => {
  const screens = screensAt(deskIn('en'));
  assert.equal(
    screens.map(({ id }) => id),
    screensFor(100).map(({ id }) => id),
  );
  for (const screen of screens) {
    const wanted = screenKeys[screen.id].map(({ action }) => action);
    assert.equal(Object.keys(screen.actions).sort(), [...wanted].sort(), screen.id);
  }
  assert.equal(
    screensFor(1).map(({ id }) => id),
    ['overview', 'tokens', 'logs'],
  );
});

framing.run();
