/** A command that gets the terminal for itself: a process of its own, so that nothing of the screens is in its way. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { both } from '../language.ts';
import type { Desk } from './desk.ts';

/** Runs this program with other words, and waits until somebody has read what it said. */
export async function runOnTerminal(
  words: readonly string[],
  { context: { environment }, say }: Pick<Desk, 'context' | 'say'>,
): Promise<void> {
  const [, program = ''] = process.argv;
  process.stdout.write(`$ tollgate ${words.join(' ')}\n`);
  const child = spawn(process.execPath, [...process.execArgv, program, ...words], {
    stdio: 'inherit',
    env: environment,
  });
  await once(child, 'close');
  process.stdin.ref();
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const ended = once(lines, 'close');
  await Promise.race([lines.question(`\n${say(both('Enter goes back to the screens', '按 Enter 返回界面'))} `), ended]);
  lines.close();
}
