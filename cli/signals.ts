/** Ctrl-C and SIGTERM of this process as one abort signal. */
import { exitCodes } from './exit-codes.ts';

/** Aborts at the first signal, with its name as the reason; a second one within two seconds leaves at once. */
export function watchSignals(): AbortSignal {
  const controller = new AbortController();
  let firstAt = 0;
  const onSignal = (name: 'SIGINT' | 'SIGTERM') => {
    const now = Date.now();
    if (firstAt !== 0 && now - firstAt < 2000) {
      process.exit(name === 'SIGTERM' ? exitCodes.terminated : exitCodes.interrupted);
    }
    firstAt = now;
    controller.abort(name);
  };
  process.on('SIGINT', () => onSignal('SIGINT'));
  process.on('SIGTERM', () => onSignal('SIGTERM'));
  return controller.signal;
}
