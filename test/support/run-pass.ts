/**
 * One process of the runner, from the bundle (`test-bundle.ts`): loads the test file it is sent, runs the suites that it registered, reports it to its
 * parent, and waits for the next one.
 */
import type { FileReport, PassMessage, PassOrder } from './pass-report.ts';
import { countProcessor } from './processor-time.ts';

/** What uvu queues for a suite: answers its failures as text (or true), then how many ran, were left out, and exist. */
type SuiteRun = () => Promise<[string | true, number, number, number]>;

declare global {
  // uvu's own names: with UVU_DEFER set it queues suites instead of running them by itself.
  var UVU_DEFER: number;
  var UVU_INDEX: number;
  var UVU_QUEUE: SuiteRun[][];
}

/** Reports are for people: a test that prints without end is cut. */
const keptOutput = 20_000;

function send(message: PassMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}

class Stray {
  readonly #seen: string[] = [];

  constructor() {
    for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
      process.on(event, (reason: unknown) => {
        this.#seen.push(`${event}: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`);
      });
    }
  }

  take(): string[] {
    return this.#seen.splice(0);
  }
}

/** Keeps what tests print, so that it is shown beside their failures and not between the lines of others. */
function captureOutput(): () => string {
  let kept = '';
  const keep = (chunk: string | Uint8Array): boolean => {
    kept = (kept + Buffer.from(chunk).toString()).slice(-keptOutput);
    return true;
  };
  process.stdout.write = keep;
  process.stderr.write = keep;
  return () => {
    const text = kept;
    kept = '';
    return text;
  };
}

interface Watch {
  readonly processorMs: () => number;
  readonly stray: Stray;
  readonly output: () => string;
  readonly takeHookErrors: () => string[];
}

async function runFile(
  { file, module }: Required<PassOrder>,
  { stray, output, takeHookErrors, processorMs }: Watch,
): Promise<FileReport> {
  const began = performance.now();
  const problems: string[] = [];
  let passed = 0;
  let failed = 0;
  const fail = (problem: string) => {
    problems.push(problem);
    failed += 1;
  };
  const index = globalThis.UVU_QUEUE.length;
  globalThis.UVU_INDEX = index;
  globalThis.UVU_QUEUE[index] = [];
  try {
    await import(module);
    const suites = globalThis.UVU_QUEUE[index] ?? [];
    if (suites.length === 0) fail('no suite ran: the file must end with .run() for every suite it makes');
    for (const suite of suites) {
      const [errors, ran, left, total] = await suite();
      passed += ran;
      failed += total - ran;
      if (typeof errors === 'string') problems.push(errors);
      else if (ran < total) problems.push(`${total - ran} tests did not run: a before or after hook threw`);
      if (left > 0) fail(`${left} tests are left out by .skip or .only`);
    }
  } catch (error) {
    fail(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  for (const problem of takeHookErrors()) if (!problems.includes(problem)) problems.push(problem);
  // What a test left running shows itself in the next turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  for (const problem of stray.take()) fail(problem);
  const ms = performance.now() - began;
  return { file, passed, failed, ms, processorMs: processorMs(), problems: problems.join('\n'), output: output() };
}

async function prepare(): Promise<Watch> {
  const stray = new Stray();
  const output = captureOutput();
  // uvu reads these when it is loaded, and never again.
  globalThis.UVU_DEFER = 1;
  globalThis.UVU_QUEUE = [];
  const { takeHookErrors } = await import('./uvu-with-hook-errors.ts');
  return { stray, output, takeHookErrors, processorMs: countProcessor() };
}

// The runner is gone: nobody reads the rest.
process.on('disconnect', () => process.exit(1));
const watch = await prepare();
process.on('message', async ({ file, module }: PassOrder) => {
  if (file === undefined || module === undefined) process.exit(0);
  await send({ report: await runFile({ file, module }, watch) });
});
