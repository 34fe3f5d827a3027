/** What every prompt is told of the terminal it stands on. */
import type { CommandContext } from './context.ts';

/**
 * The stream that a prompt is drawn on, and what leaves it besides its own keys: a signal, and the end of the input
 * (Ctrl-D), behind which it would wait for ever.
 */
export function promptOn({ host, signal }: Pick<CommandContext, 'host' | 'signal'>) {
  const left = new AbortController();
  const leave = () => left.abort();
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  let isBack = false;
  const back = () => {
    isBack = true;
  };
  // Readline pauses its input at its end, and behind Ctrl-Z, where nobody but us goes on with it.
  const paused = () => {
    if (isBack) {
      isBack = false;
      host.stdin.resume();
      return;
    }
    process.off('SIGCONT', back);
    host.stdin.off('pause', paused);
    signal.removeEventListener('abort', leave);
    setImmediate(leave);
  };
  process.on('SIGCONT', back);
  host.stdin.on('pause', paused);
  return { output: host.stderr, signal: left.signal };
}
