/**
 * Shows a text that is taller than the screen with the reader's pager (cli.md 1.1). What a pager cannot show is left to
 * be printed, and one that is left before its end has shown what was wanted.
 */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import stringWidth from 'string-width';
import type { Host } from '../host.ts';
import type { Terminal } from '../terminal.ts';

export interface PagerDeps {
  /** Names the pager. */
  environment: NodeJS.ProcessEnv;
  host: Pick<Host, 'stdout'>;
  terminal: Pick<Terminal, 'columns' | 'rows'>;
  /** Ends the pager too. */
  signal: AbortSignal;
  /** Called when reading begins. */
  unlimitTime(): void;
}

/** True when the text and the prompt behind it need more lines than the screen has. */
export function isTaller(text: string, { columns, rows }: PagerDeps['terminal']): boolean {
  let height = 0;
  for (const line of text.trimEnd().split('\n')) {
    height += Math.max(1, Math.ceil(stringWidth(line) / columns));
    if (height >= rows) return true;
  }
  return false;
}

/**
 * The pager that was wished for, in a shell's words; `default` when none was named, undefined when none is wanted.
 * `TOLLGATE_PAGER` goes before `PAGER` even where it is empty.
 */
function wishedPager({ TOLLGATE_PAGER, PAGER }: NodeJS.ProcessEnv): string | undefined {
  const wish = (TOLLGATE_PAGER ?? PAGER ?? 'default').trim();
  return wish === '' || wish === 'cat' ? undefined : wish;
}

function startPager(wish: string, stdio: StdioOptions, env: NodeJS.ProcessEnv): ChildProcess {
  if (wish === 'default') return spawn('less', ['-FRX'], { stdio, env });
  return spawn(wish, { stdio, env, shell: true });
}

/** Shows the text; what is `to be printed` has not been shown. Throws the signal's reason after it came. */
export async function showPaged(text: string, deps: PagerDeps): Promise<'shown' | 'to be printed'> {
  const { environment, host, terminal, signal } = deps;
  const wish = wishedPager(environment);
  // What is no file of the system no other process can write to.
  const to = host.stdout.fd;
  if (wish === undefined || to === undefined || !isTaller(text, terminal)) return 'to be printed';
  deps.unlimitTime();
  const interrupts = takeInterrupts();
  const pager = startPager(wish, ['pipe', to, 'inherit'], environment);
  const end = () => pager.kill();
  signal.addEventListener('abort', end);
  // A pager that is left early closes its end: nobody wants the rest.
  pager.stdin?.on('error', () => undefined);
  pager.stdin?.end(text);
  const code = await once(pager, 'close').then(
    ([code]) => code,
    () => 'not started',
  );
  signal.removeEventListener('abort', end);
  const isLeft = interrupts.giveBack() > 0 || code === null;
  signal.throwIfAborted();
  return code === 0 || isLeft ? 'shown' : 'to be printed';
}

/**
 * Takes Ctrl-C from the rest of the program: while a pager runs it is a key of the pager, which may end a search and not
 * the reading. `giveBack` says how often it was pressed.
 */
function takeInterrupts(): { giveBack(): number } {
  let count = 0;
  const onInterrupt = () => {
    count += 1;
  };
  const listeners = process.listeners('SIGINT');
  process.removeAllListeners('SIGINT').on('SIGINT', onInterrupt);
  return {
    giveBack() {
      process.off('SIGINT', onInterrupt);
      for (const listener of listeners) process.on('SIGINT', listener);
      return count;
    },
  };
}
