/** The built program on a pseudo-terminal, as a person has it: `script` of util-linux makes the terminal. */
import { type ChildProcess, spawn } from 'node:child_process';
import { builtProgram } from './command-line.ts';
import { patienceMs } from './until.ts';

/** One program on its terminal. */
export class PseudoTerminal {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  #text = '';
  #read = 0;
  #onText: (() => void) | undefined;

  /** @param around shell commands before and behind the program, on the same terminal */
  constructor(
    args: readonly string[],
    environment: Readonly<Record<string, string>>,
    around: { readonly before?: string; readonly behind?: string } = {},
  ) {
    const quoted = [process.execPath, builtProgram, ...args].map((word) => `'${word}'`).join(' ');
    const line = `${around.before ?? ':'}; ${quoted}; code=$?; ${around.behind ?? ':'}; exit $code`;
    this.#child = spawn('script', ['-qec', line, '/dev/null'], {
      env: { PATH: process.env.PATH, LANG: 'C.UTF-8', TERM: 'xterm', SHELL: '/bin/sh', ...environment },
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.#text += chunk;
      this.#onText?.();
    });
    this.#ended = new Promise((resolve) => this.#child.on('close', resolve));
  }

  /** All that was shown. */
  get text(): string {
    return this.#text;
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  /**
   * Waits until something new is shown; returns what was shown up to its end.
   *
   * @param again what is done whenever nothing was shown for a while
   */
  async until(what: RegExp, again?: () => void): Promise<string> {
    const began = performance.now();
    for (;;) {
      const fresh = this.#text.slice(this.#read);
      const found = what.exec(fresh);
      if (found) {
        const end = found.index + found[0].length;
        this.#read += end;
        return fresh.slice(0, end);
      }
      if (performance.now() - began > patienceMs) throw new Error(`${what} was not shown: ${JSON.stringify(fresh)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
          again?.();
          resolve();
        }, 200);
        this.#onText = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** The exit code, once the program has ended. */
  ended(): Promise<number | null> {
    return this.#ended;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
