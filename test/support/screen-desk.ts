/** Desks for tests of the screens: signed in as root at a server that a test answers for, or that is not there. */
import { PassThrough } from 'node:stream';
import { CommandContext } from '../../cli/context.ts';
import type { Commands } from '../../cli/screens/commands.ts';
import { Desk, type Seat, type Whereabouts } from '../../cli/screens/desk.ts';
import { createClient } from '../../daemon/contract/client.ts';

export interface DeskWishes {
  readonly lang: 'en' | 'zh';
  readonly isPlain?: boolean;
  readonly fetch?: typeof globalThis.fetch;
  /** Of the server that answers; none does when absent. */
  readonly url?: string;
  readonly color?: 'always';
  readonly tz?: string;
  readonly time?: 'unix' | 'relative';
  readonly where?: Partial<Whereabouts>;
  /** None when absent. */
  readonly commands?: Commands;
}

const noCommands: Commands = { known: [], run: () => Promise.resolve(0) };

/** What one sign-in brings. */
export function seatOf(wishes: DeskWishes): Seat {
  const { lang, fetch, url = 'http://127.0.0.1:1', where = {}, color, tz, time } = wishes;
  const stream = new PassThrough();
  const flags = { ...(color && { color }), ...(tz && { tz }), ...(time && { time }) };
  const context = new CommandContext(
    { lang, url, ...flags },
    {
      environment: { LANG: 'C.UTF-8' },
      host: { stdin: stream, stdout: stream, stderr: stream },
      signal: new AbortController().signal,
    },
  );
  const address = { baseUrl: url, retries: 0 };
  return {
    context,
    client: createClient(fetch === undefined ? address : { ...address, fetch }),
    money: (units) => `$${units}`,
    quotaPerUnit: 500_000,
    where: {
      profile: '生产环境',
      host: 'gw.example.com',
      username: 'root',
      role: 100,
      readOnly: false,
      colour: undefined,
      ...where,
    },
  };
}

export function deskFor(wishes: DeskWishes): Desk {
  const { isPlain = false, commands = noCommands } = wishes;
  return new Desk({
    seat: seatOf(wishes),
    commands,
    columns: () => 80,
    control: () => undefined,
    lend: (work) => work(),
    isPlain,
  });
}
