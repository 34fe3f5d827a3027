/** A command that gets the terminal for itself: a process of its own, so that nothing of the screens is in its way. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { both } from '../language.ts';
import type { Desk } from './desk.ts';

/** Runs this program with other words, to its end. */
export async function runOnTerminal(
  words: readonly string[],
  { context: { environment } }: Pick<Desk, 'context'>,
): Promise<void> {
  const [, program = ''] = process.argv;
  // What is typed is for that command alone; only a stream that flows can be paused.
  process.stdin.resume().pause();
  process.stdout.write(`$ tollgate ${words.join(' ')}\n`);
  const args = [...process.execArgv, program, ...words];
  await leavingInterrupts(() => once(spawn(process.execPath, args, { stdio: 'inherit', env: environment }), 'close'));
}

/** Ctrl-C goes to every process of the terminal: while a command has it, that is how the command is ended, not the screens. */
async function leavingInterrupts(work: () => Promise<unknown>): Promise<void> {
  const own = process.listeners('SIGINT');
  const unheard = () => undefined;
  process.on('SIGINT', unheard);
  for (const listener of own) process.off('SIGINT', listener);
  try {
    await work();
  } finally {
    for (const listener of own) process.on('SIGINT', listener);
    process.off('SIGINT', unheard);
  }
}

/** Waits until somebody has read what a command said. */
export async function askToGoBack({ say }: Pick<Desk, 'say'>): Promise<void> {
  process.stdin.ref();
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const ended = once(lines, 'close');
  await Promise.race([lines.question(`\n${say(both('Enter goes back to the screens', '按 Enter 返回界面'))} `), ended]);
  lines.close();
  // The stream stops a moment later, and must not do so while the screens already read from it.
  await turnOfLoop();
}
