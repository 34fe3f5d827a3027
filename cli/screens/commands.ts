/** Running commands from the screens: inside, with what they print caught as it comes. */
import { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import { commandPath } from '../command.ts';
import type { Surroundings } from '../context.ts';
import type { KnownCommand } from './command-words.ts';

export interface CommandRun {
  /** Cells of a line. */
  readonly columns: number;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly onText: (text: string) => void;
}

/** Runs a command of this program in streams and an environment of its own. */
export type RunProgram = (
  argv: readonly string[],
  inside: Pick<Surroundings, 'environment' | 'host' | 'signal'>,
) => Promise<void>;

export interface Commands {
  readonly known: readonly KnownCommand[];
  /** Runs it to its end; resolves with its exit code. */
  run(words: readonly string[], wish: CommandRun): Promise<number>;
}

/** Commands that talk with a person, so that they get the terminal for themselves. */
const talking: ReadonlySet<string> = new Set(['chat', 'login', 'setup', 'option edit', 'serve']);

/** Whether a command needs a terminal of its own. */
export function needsTerminal(path: string): boolean {
  return talking.has(path);
}

/** The commands of the program. */
export function commandsOf(program: Command, runProgram: RunProgram): Commands {
  return {
    known: leavesOf(program),
    async run(words, { columns, environment, signal, onText }) {
      const stream = () =>
        new Writable({
          write(chunk: Buffer, _encoding, done) {
            onText(String(chunk));
            done();
          },
        });
      const host = { stdin: Readable.from([]), stdout: stream(), stderr: stream(), exitCode: undefined };
      await runProgram(words, { environment: { ...environment, ...asText(columns) }, host, signal });
      return Number(host.exitCode ?? 0);
    },
  };
}

/** A table of this width, without colours or a pager. */
function asText(columns: number): NodeJS.ProcessEnv {
  const colours = { NO_COLOR: '1', FORCE_COLOR: undefined, CLICOLOR_FORCE: undefined };
  return { ...colours, TOLLGATE_FORCE_TTY: String(columns), TOLLGATE_PAGER: 'cat', TOLLGATE_NO_INPUT: '1' };
}

function leavesOf(command: Command): KnownCommand[] {
  if (command.commands.length > 0)
    return command.commands.filter((child) => !child.name().startsWith('_')).flatMap(leavesOf);
  return [{ path: commandPath(command), usage: command.usage(), summary: command.description() }];
}
