/** Opens the screens on the terminal, and gives it back however they end. */
import { render } from 'ink';
import type { CommandContext } from '../context.ts';
import { App } from './app.tsx';
import { ChannelsScreen } from './channels.ts';
import { CodesScreen } from './codes.ts';
import { Desk } from './desk.ts';
import { LogsScreen } from './logs.ts';
import { OverviewScreen } from './overview.ts';
import { Refresher, realClock } from './refresh.ts';
import type { Screen } from './screen.ts';
import { type ScreenId, screensFor } from './screen-table.ts';
import { ScreenTerminal } from './terminal.ts';
import { TokensScreen } from './tokens.ts';
import { UsersScreen } from './users.ts';

export interface Opening {
  /** Of the screens alone: quiet, and aborted with them. */
  readonly context: CommandContext;
  /** The screen to begin with. */
  readonly first: string | undefined;
}

/** Shows the screens until somebody leaves. Rejects before anything is drawn where the server does not answer. */
export async function runScreens({ context, first }: Opening): Promise<'quit' | 'interrupted'> {
  const client = await context.client();
  const { url, profile, settings } = await context.target();
  const [me, site, money] = await Promise.all([client.account.get(), context.site(), context.moneyText()]);
  const terminal = new ScreenTerminal();
  const desk = new Desk({
    context,
    client,
    money,
    quotaPerUnit: site.quotaPerUnit,
    where: {
      profile,
      host: new URL(url).host,
      username: me.username,
      role: me.role,
      readOnly: settings.read_only === true,
    },
    control: (sequence) => terminal.control(sequence),
  });
  const refresher = new Refresher({ clock: realClock, onAnswer: (failure) => desk.refreshed(failure) });
  const screens: Readonly<Partial<Record<ScreenId, Screen>>> = {
    overview: new OverviewScreen(desk),
    channels: new ChannelsScreen(desk, refresher),
    users: new UsersScreen(desk, refresher),
    tokens: new TokensScreen(desk, refresher),
    codes: new CodesScreen(desk, refresher),
    logs: new LogsScreen(desk, refresher),
  };
  const entries = screensFor(me.role);
  const opened = screens[(entries.find(({ id }) => id === first) ?? entries[0])?.id ?? 'overview'];
  if (opened === undefined) throw new Error('there is no screen to open');
  let ending: 'quit' | 'interrupted' = 'quit';
  terminal.enter();
  try {
    const app = render(
      <App
        desk={desk}
        entries={entries}
        screens={screens}
        first={opened}
        refresher={refresher}
        terminal={terminal}
        onEnd={(how) => {
          ending = how;
        }}
      />,
      { exitOnCtrlC: false, patchConsole: false, incrementalRendering: false },
    );
    const stop = () => app.unmount();
    context.signal.addEventListener('abort', stop, { once: true });
    await app.waitUntilExit();
    context.signal.removeEventListener('abort', stop);
  } finally {
    refresher.end();
    terminal.leave();
  }
  return ending;
}
