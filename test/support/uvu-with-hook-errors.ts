/**
 * uvu whose hooks keep what they threw: uvu itself ends a suite with a before hook that throws, and forgets why.
 */
import { type Callback, suite as plainSuite, type Test } from 'uvu';

const thrown: string[] = [];

/** What hooks threw since this was asked last. */
export function takeHookErrors(): string[] {
  return thrown.splice(0);
}

function keeping<T>(hook: Callback<T>): Callback<T> {
  return async (context) => {
    try {
      await hook(context);
    } catch (error) {
      thrown.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
      throw error;
    }
  };
}

export function suite<T>(title?: string, context?: T): Test<T> {
  const test = plainSuite<T>(title, context);
  for (const name of ['before', 'after'] as const) {
    const plain = test[name];
    test[name] = Object.assign((hook: Callback<T>) => plain(keeping(hook)), {
      each: (hook: Callback<T>) => plain.each(keeping(hook)),
    });
  }
  return test;
}
