/**
 * The test runner: all suites on SQLite without Redis and on PostgreSQL with Redis, on real servers that it starts and
 * stops. The last line it prints is `N passed, N failed`.
 *   npm test -- [part of a path ...] [--only sqlite|postgres] [--verbose] [--console-all]
 */
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { turns } from './browser/variants.ts';
import { chromiumProgram } from './support/engine-programs.ts';
import type { FileReport, PassMessage, PassOrder } from './support/pass-report.ts';
import { postgresAt, startPostgres } from './support/postgres-server.ts';
import { countProcessor } from './support/processor-time.ts';
import { startRedis } from './support/redis-server.ts';
import { bundleTests, type TestBundle } from './support/test-bundle.ts';
import { planTests, type TestPlan } from './support/test-plan.ts';

/** Files that took longer are named at the end. */
const slowMs = 2000;
/** Failed files of a whole run that are tried again; more of them are no accident. */
const mostTriedAgain = 6;
const root = fileURLToPath(new URL('../', import.meta.url));
const processorMs = countProcessor();

const { values: flags, positionals: filters } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    'console-all': { type: 'boolean', default: false },
  },
});

/**
 * A file that takes longer hangs; its pass goes on without it. The longest takes a third of it on a slow machine; every
 * page at every size takes a while.
 */
const fileLimitMs = flags['console-all'] ? 900_000 : 360_000;

interface Pass {
  readonly name: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly bundle: TestBundle;
  /** Files that no lane has taken yet, the next one first. */
  readonly left: string[];
  /** How many lanes are at it. */
  lanes: number;
}

interface Result {
  readonly pass: string;
  readonly report: FileReport;
}

/** The environment of this process without settings of a Tollgate that lives on this machine. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('TOLLGATE_'));
  return { ...Object.fromEntries(kept), NODE_ENV: 'test', TEST_RUN_ID: String(process.pid) };
}

interface Servers {
  readonly environment: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

async function startServers(): Promise<Servers> {
  const { TEST_POSTGRES_URL: postgresUrl, TEST_REDIS_URL: redisUrl } = process.env;
  process.env.TEST_RUN_ID = String(process.pid);
  const [postgres, redis] = await Promise.all([
    postgresUrl ? postgresAt(postgresUrl) : startPostgres(),
    redisUrl ? undefined : startRedis(),
  ]);
  return {
    environment: { TEST_POSTGRES_URL: postgres.url, TEST_REDIS_URL: redisUrl || redis?.url },
    async stop() {
      if (postgresUrl) await postgres.sweep();
      await Promise.all([postgres.stop(), redis?.stop()]);
    },
  };
}

interface Ground {
  readonly bundle: TestBundle;
  /** Of servers and programs that tests use. */
  readonly environment: NodeJS.ProcessEnv;
}

function passesOf(plan: TestPlan, ground: Ground): Pass[] {
  const environment = { ...cleanEnvironment(), ...ground.environment, TEST_BUNDLE: ground.bundle.folder };
  const pass = (name: string, files: readonly string[], engine: NodeJS.ProcessEnv): Pass => ({
    name,
    environment: { ...environment, ...engine },
    bundle: ground.bundle,
    left: [...files],
    lanes: 0,
  });
  return [
    pass('sqlite', plan.perEngine, { TEST_ENGINE: 'sqlite' }),
    pass('postgres', plan.perEngine, { TEST_ENGINE: 'postgres' }),
    ...(flags['console-all']
      ? turns.map((turn) => pass(`console ${turn}`, plan.once, { TEST_CONSOLE_TURN: turn }))
      : [pass('once', plan.once, {})]),
  ].filter(({ name, left }) => left.length > 0 && passIsWanted(name));
}

function passIsWanted(name: string): boolean {
  return flags.only === undefined || name === flags.only || (name !== 'sqlite' && name !== 'postgres');
}

/** Runs files of a pass in one process until none is left, it dies, or one of them hangs. */
function runProcess(pass: Pass, onFile: (report: FileReport) => void): Promise<void> {
  const child = fork(pass.bundle.pass, {
    cwd: root,
    env: pass.environment,
    // With room for short-lived objects, as `npm start` gives the daemon.
    execArgv: ['--enable-source-maps', '--max-semi-space-size=32'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-20_000);
    });
  }
  let current: { file: string; began: number; timer: NodeJS.Timeout } | undefined;
  let hung = false;
  const next = () => {
    const file = pass.left.shift();
    const order: PassOrder = file === undefined ? {} : { file, module: pass.bundle.moduleOf(file) };
    // One that has died in between is told of by its end.
    child.send(order, () => undefined);
    if (file === undefined) return;
    const timer = setTimeout(() => {
      hung = true;
      child.kill('SIGKILL');
    }, fileLimitMs);
    current = { file, began: performance.now(), timer };
  };
  const settle = (report: FileReport) => {
    clearTimeout(current?.timer);
    current = undefined;
    onFile(report);
  };
  child.on('message', ({ report }: PassMessage) => {
    settle(report);
    next();
  });
  next();
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      const problems = hung
        ? `still running after ${fileLimitMs / 1000} s`
        : `the process ended with ${signal ?? code}`;
      if (current) {
        const ms = performance.now() - current.began;
        settle({ file: current.file, passed: 0, failed: 1, ms, processorMs: 0, problems, output });
      }
      resolve();
    });
  });
}

function show(pass: string, report: FileReport): void {
  const took = `${report.ms.toFixed(0)} ms, ${report.processorMs} of a processor`;
  const line = `[${pass}] ${report.file} (${report.passed} passed, ${took})`;
  if (report.failed === 0) {
    if (flags.verbose) console.log(`ok ${line}`);
    return;
  }
  console.log(`FAILED ${line}\n${shorten(report.problems)}`);
  const printed = report.output.replace(suiteLine, '').trim();
  if (printed !== '') console.log(`--- it printed\n${shorten(printed)}\n---`);
}

/** The row of marks that uvu prints for a suite; the report says the same. */
const suiteLine = /^.*\s\(\d+ \/ \d+\)$/gm;

function shorten(text: string): string {
  const kept = 8000;
  return flags.verbose || text.length <= kept
    ? text
    : `${text.slice(0, kept)}\n… ${text.length - kept} more characters; run the file alone with --verbose`;
}

function total(reports: readonly FileReport[]): [passed: number, failed: number] {
  return reports.reduce<[number, number]>((sum, { passed, failed }) => [sum[0] + passed, sum[1] + failed], [0, 0]);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** Runs what is left of a pass, beside other lanes that are at it. */
async function serve(pass: Pass, results: Result[]): Promise<void> {
  pass.lanes += 1;
  while (pass.left.length > 0) {
    await runProcess(pass, (report) => {
      results.push({ pass: pass.name, report });
      show(pass.name, report);
    });
  }
  pass.lanes -= 1;
}

/**
 * Two lanes more than there are cores, four at most: files that wait for something leave their core to others, and what
 * needs time is given it (`test/support/until.ts`). A lane goes where the fewest are, so that all have work to the end.
 */
async function runPasses(passes: readonly Pass[]): Promise<Result[]> {
  const began = performance.now();
  const results: Result[] = [];
  const next = () => passes.filter(({ left }) => left.length > 0).sort((a, b) => a.lanes - b.lanes)[0];
  const lane = async () => {
    for (let pass = next(); pass; pass = next()) await serve(pass, results);
  };
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism() + 2) }, lane));
  for (const { name } of passes) {
    const own = results.filter(({ pass }) => pass === name).map(({ report }) => report);
    const [passed, failed] = total(own);
    const lane = seconds(own.reduce((sum, { ms }) => sum + ms, 0));
    const processor = seconds(own.reduce((sum, { processorMs }) => sum + processorMs, 0));
    const counts = `${passed} passed, ${failed} failed`;
    console.log(`${name}: ${own.length} files, ${counts}, ${lane} of a lane, ${processor} of a processor`);
  }
  const whole = `${seconds(processorMs())} of a processor with bundle and servers`;
  console.log(`all lanes: ${seconds(performance.now() - began)}, ${whole}`);
  return results;
}

/**
 * Tries what failed in a whole run once more, with the machine to itself: where it stood still for seconds, a test in
 * three thousand fails now and then. What passes then is told as unsteady, since it may be a race all the same.
 */
async function tryAgain(passes: readonly Pass[], results: readonly Result[]): Promise<readonly Result[]> {
  const failures = results.filter(({ report }) => report.failed > 0);
  const isPart = filters.length > 0 && !flags['console-all'];
  if (isPart || failures.length > mostTriedAgain) return results;
  const second: Result[] = [];
  for (const { pass: name, report } of failures) {
    const pass = passes.find((each) => each.name === name);
    if (pass !== undefined) await serve({ ...pass, left: [report.file], lanes: 0 }, second);
  }
  for (const { pass, report } of second) {
    if (report.failed === 0) console.log(`unsteady: ${report.file} [${pass}] failed beside others, passed by itself`);
  }
  return [...results.filter(({ report }) => report.failed === 0), ...second];
}

function summarise(results: readonly Result[]): boolean {
  const slow = results.filter(({ report }) => report.ms > slowMs).sort((a, b) => b.report.ms - a.report.ms);
  if (slow.length > 0) console.log('\nslow files:');
  for (const { pass, report } of slow.slice(0, 10)) {
    console.log(`  ${(report.ms / 1000).toFixed(1).padStart(6)} s  ${report.file} [${pass}]`);
  }
  const failures = results.filter(({ report }) => report.failed > 0);
  if (failures.length > 0) console.log('\nfailed files:');
  for (const { pass, report } of failures) console.log(`  ${report.file} [${pass}]`);
  const [passed, failed] = total(results.map(({ report }) => report));
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0;
}

async function main(): Promise<boolean> {
  if (flags.only !== undefined && flags.only !== 'sqlite' && flags.only !== 'postgres') {
    throw new Error('--only takes sqlite or postgres');
  }
  const plan = planTests(filters);
  if (plan.once.length + plan.perEngine.length === 0) throw new Error('no test file matches');
  console.log(
    `${plan.perEngine.length} files run on SQLite without Redis and on PostgreSQL with Redis; ` +
      `${plan.once.length} do not depend on the engine, or use both by themselves, and run once`,
  );
  // Found, or installed, before several processes would at once.
  const browser: NodeJS.ProcessEnv = plan.browser ? { TEST_CHROMIUM: chromiumProgram() } : {};
  const bundle = await bundleTests([...plan.once, ...plan.perEngine]);
  const servers = plan.servers && flags.only !== 'sqlite' ? await startServers() : undefined;
  try {
    const passes = passesOf(plan, { bundle, environment: { ...browser, ...servers?.environment } });
    return summarise(await tryAgain(passes, await runPasses(passes)));
  } finally {
    await servers?.stop();
    bundle.remove();
  }
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.log('\n0 passed, 1 failed');
  process.exitCode = 1;
}
