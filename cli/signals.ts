/** Ctrl-C, SIGTERM and what Windows has instead of it, Ctrl-Break, as one abort signal. */
import { exitCodes } from './exit-codes.ts';

/** What is told of signals and can be left: this process. */
interface Signalled {
  on(name: 'SIGINT' | 'SIGTERM' | 'SIGBREAK', listener: () => void): unknown;
  exit(code: number): never;
}

/** Aborts at the first signal, with its name as the reason; a second one within two seconds leaves at once. */
export function watchSignals(from: Signalled = process): AbortSignal {
  const controller = new AbortController();
  let firstAt = 0;
  const onSignal = (name: 'SIGINT' | 'SIGTERM') => {
    const now = Date.now();
    if (firstAt !== 0 && now - firstAt < 2000) {
      from.exit(name === 'SIGTERM' ? exitCodes.terminated : exitCodes.interrupted);
    }
    firstAt = now;
    controller.abort(name);
  };
  from.on('SIGINT', () => onSignal('SIGINT'));
  from.on('SIGTERM', () => onSignal('SIGTERM'));
  from.on('SIGBREAK', () => onSignal('SIGTERM'));
  return controller.signal;
}
