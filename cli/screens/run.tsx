/** Opens the screens on the terminal, and gives it back however they end. */
import { render } from 'ink';
import type { CommandContext } from '../context.ts';
import { bannerColourOf } from '../profile-settings.ts';
import { signInWithPassword } from '../sign-in.ts';
import { type AllScreens, screensOf } from './all-screens.ts';
import { App, type Ending } from './app.tsx';
import type { Commands } from './commands.ts';
import { Desk, type Seat } from './desk.ts';
import { KeyInput } from './key-input.ts';
import { PlainScreens } from './plain.ts';
import type { Words } from './record-form.ts';
import { Refresher, realClock } from './refresh.ts';
import type { TabScreen } from './screen.ts';
import { screensFor } from './screen-table.ts';
import { type SignInField, SignInPage } from './sign-in-page.ts';
import { ScreenTerminal } from './terminal.ts';
import { askToGoBack, runOnTerminal } from './terminal-command.ts';

export interface Opening {
  /** Contexts of the screens alone: quiet, and aborted with them. */
  readonly contextIn: (environment: NodeJS.ProcessEnv) => CommandContext;
  readonly environment: NodeJS.ProcessEnv;
  readonly commands: Commands;
  /** The screen to begin with. */
  readonly first: string | undefined;
  /** Line after line, without drawing. */
  readonly isPlain: boolean;
}

/** Asks the server who one is there. */
async function seatOf(context: CommandContext): Promise<Seat> {
  const client = await context.client();
  const { url, profile, settings } = await context.target();
  const [me, site, money] = await Promise.all([
    client.account.get(),
    context.site(),
    context.moneyText(),
    context.clocks.prepareClocks(),
  ]);
  const { host } = new URL(url);
  const { username, role } = me;
  const where = {
    profile,
    host,
    username,
    role,
    readOnly: settings.read_only === true,
    colour: bannerColourOf(settings.color),
  };
  return { context, client, money, quotaPerUnit: site.quotaPerUnit, where };
}

/** What came of the screens. */
export interface Left {
  readonly how: 'quit' | 'interrupted';
  /** Calls that were sent and have no answer. */
  readonly unanswered: CommandContext['unanswered'];
}

/** Shows the screens until somebody leaves. Rejects before anything is drawn where the server does not answer. */
export async function runScreens({ contextIn, environment, commands, first, isPlain }: Opening): Promise<Left> {
  const terminal = new ScreenTerminal();
  const desk = new Desk({
    seat: await seatOf(contextIn(environment)),
    commands,
    columns: () => terminal.size.columns,
    control: (sequence) => (isPlain ? undefined : terminal.control(sequence)),
    lend: (work) => (isPlain ? work() : terminal.lend(work)),
    isPlain,
  });
  const refresher = new Refresher({ clock: realClock, onAnswer: (failure) => desk.refreshed(failure) });
  const signIn = async (words: Words<SignInField>) => {
    const { url } = await desk.context.target();
    // A token of the environment would hide the new one.
    const context = contextIn({ ...desk.context.environment, TOLLGATE_URL: url, TOLLGATE_ACCESS_TOKEN: undefined });
    const otp = words('otp') === '' ? undefined : words('otp');
    await signInWithPassword(context, { username: words('username'), password: words('password'), otp });
    desk.takeSeat(await seatOf(contextIn(context.environment)));
  };
  desk.onSignedOut(() => {
    if (desk.page?.id !== 'sign-in') desk.openPage(new SignInPage(desk, signIn));
  });
  const screens = screensOf(desk, refresher);
  const entries = screensFor(desk.where.role);
  let at = screens[(entries.find(({ id }) => id === first) ?? entries[0])?.id ?? 'overview'];
  const outside = async (words: readonly string[]) => {
    await runOnTerminal(words, desk);
    // It may have been about who is signed in; where that went wrong, the calls to come say so.
    await seatOf(contextIn(desk.context.environment)).then(
      (seat) => desk.takeSeat(seat),
      () => undefined,
    );
  };
  try {
    if (isPlain) {
      const plain = new PlainScreens({
        desk,
        refresher,
        screens,
        first: at,
        input: process.stdin,
        output: process.stdout,
        onCommand: outside,
      });
      return { how: await plain.run(), unanswered: desk.context.unanswered };
    }
    for (;;) {
      terminal.enter();
      const ending = await shown({ desk, screens, first: at, refresher, terminal });
      if (typeof ending === 'string') return { how: ending, unanswered: desk.context.unanswered };
      at = ending.back;
      refresher.show([]);
      terminal.leave();
      await outside(ending.words);
      await askToGoBack(desk);
    }
  } finally {
    refresher.end();
    terminal.leave();
  }
}

interface Stage {
  readonly desk: Desk;
  readonly screens: AllScreens;
  readonly first: TabScreen;
  readonly refresher: Refresher;
  readonly terminal: ScreenTerminal;
}

/** Draws until somebody leaves or the signal says so. */
async function shown(stage: Stage): Promise<Ending> {
  const { signal } = stage.desk.context;
  let ending: Ending = 'quit';
  const onEnd = (how: Ending) => {
    ending = how;
  };
  const input = new KeyInput(process.stdin);
  const app = render(<App {...stage} input={input} onEnd={onEnd} />, {
    stdin: input.stream,
    exitOnCtrlC: false,
    patchConsole: false,
    incrementalRendering: false,
  });
  const stop = () => app.unmount();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  await app.waitUntilExit();
  input.end();
  signal.removeEventListener('abort', stop);
  return ending;
}
