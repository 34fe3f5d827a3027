/**
 * `--dry-run` of commands that have none of their own (cli.md 1.4): reads are made, writes are checked and held back, and
 * in place of the result stands what would have been sent.
 */
import { pMapSkip } from 'p-map';
import type { PreparedCall } from '../daemon/contract/client.ts';
import { both } from './language.ts';
import type { View } from './output/columns.ts';
import type { Printer } from './output/printer.ts';
import type { Output } from './streams.ts';

/** Ends the work that waits for the answer of a call that was held back. */
export class NotSent extends Error {}

/** For items done side by side: one whose call was held back has no row. */
export function skipUnsent(error: unknown): typeof pMapSkip {
  if (error instanceof NotSent) return pMapSkip;
  throw error;
}

/** Stands beside the calls that were held back. */
export const unsentNote = both(
  'dry run: nothing was sent; calls that need its answer are not shown',
  '试运行：未发送任何内容；依赖其返回结果的后续请求未列出',
);

/** A call as it is shown; secrets are `***`. */
export interface UnsentCall {
  method: string;
  path: string;
  /** Undefined where there is none. */
  body: unknown;
}

const unsentView: View<UnsentCall> = {
  columns: [
    { heading: 'METHOD', value: ({ method }) => method, priority: 1 },
    { heading: 'PATH', value: ({ path }) => path, priority: 2 },
    { heading: 'BODY', value: ({ body }) => (body === undefined ? '' : JSON.stringify(body)), priority: 3 },
  ],
  id: ({ method, path }) => `${method} ${path}`,
  verbatim: true,
};

export class DryRun {
  readonly #calls: UnsentCall[] = [];
  /** What the command printed; it counts only where no call was held back. */
  readonly #printed: string[] = [];

  /** Where the command prints to. */
  readonly output: Output = {
    write: async (text) => {
      this.#printed.push(text);
    },
    done: () => undefined,
  };

  /** Holds a write of the typed client back. Throws `NotSent`, and exit 3 for input that the server would refuse. */
  async check(call: PreparedCall): Promise<void> {
    const { isHeldBack, refuseInput } = await import('./held-calls.ts');
    if (!isHeldBack(call)) return;
    refuseInput(call);
    await this.hold(call.request);
  }

  /** Throws `NotSent`. */
  async hold({ method, path, body }: { method: string; path: string; body: string | undefined }): Promise<never> {
    const { maskedCall } = await import('./held-calls.ts');
    this.#calls.push(maskedCall({ method, path, body }));
    throw new NotSent(`${method} ${path}`);
  }

  /** Prints what was held back; false where that is nothing and the command's own output was printed instead. */
  async print(output: Output, printer: Printer): Promise<boolean> {
    const [call, ...more] = this.#calls;
    if (call === undefined) {
      for (const text of this.#printed) await output.write(text);
      output.done();
      return false;
    }
    if (more.length === 0) await printer.one(call, unsentView);
    else await printer.list([call, ...more], unsentView);
    return true;
  }
}
