import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Lease } from '../../../daemon/cluster/leases.ts';
import { Scheduler } from '../../../daemon/jobs/scheduler.ts';
import { until } from '../../support/until.ts';

const scheduler = suite('job scheduler');

function leases() {
  const held = new Set<string>();
  return {
    held,
    async acquireLease(name: string): Promise<Lease | undefined> {
      if (held.has(name)) return undefined;
      held.add(name);
      return {
        renew: async () => true,
        async release() {
          held.delete(name);
        },
      };
    },
  };
}

scheduler('runs a job again after it threw, and reports what it threw', async () => {
  const errors: unknown[] = [];
  let runs = 0;
  const jobs = new Scheduler({ ...leases(), report: ({ error }) => errors.push(error), random: () => 0 });
  jobs.start([
    {
      name: 'fails once',
      everyMs: 5,
      scope: 'node',
      atStart: true,
      async run() {
        runs += 1;
        if (runs === 1) throw new Error('first run');
      },
    },
  ]);
  await until(() => runs >= 3);
  await jobs.stop();
  assert.is(errors.length, 1);
});

scheduler('runs a job that failed again after the pause for that, and then at its interval', async () => {
  let runs = 0;
  const jobs = new Scheduler({ ...leases(), report: () => undefined, random: () => 0 });
  const startedAt = Math.floor(Date.now() / 1000);
  jobs.start([
    {
      name: 'fails twice',
      everyMs: 3_600_000,
      afterFailureMs: 1,
      scope: 'node',
      atStart: true,
      async run() {
        runs += 1;
        if (runs <= 2) throw new Error('not yet');
      },
    },
  ]);
  await until(() => jobs.states()[0]?.outcome === 'done');
  await jobs.stop();
  assert.is(runs, 3);
  assert.ok((jobs.states()[0]?.nextAt ?? 0) >= startedAt + 3600);
});

scheduler('waits for a job of once a month', async () => {
  let runs = 0;
  const jobs = new Scheduler({ ...leases(), report: () => undefined, random: () => 0 });
  const run = async () => {
    runs += 1;
  };
  jobs.start([{ name: 'monthly', everyMs: 43_200 * 60_000, scope: 'node', run }]);
  await sleep(50);
  await jobs.stop();
  assert.is(runs, 0);
});

scheduler('runs a cluster job on one node at a time and gives the lease back', async () => {
  const shared = leases();
  let at = 0;
  let most = 0;
  let runs = 0;
  const job = {
    name: 'sweep',
    everyMs: 2,
    scope: 'cluster' as const,
    atStart: true,
    async run() {
      at += 1;
      most = Math.max(most, at);
      await sleep(5);
      runs += 1;
      at -= 1;
    },
  };
  const nodes = [1, 2, 3].map(() => new Scheduler({ ...shared, report: () => undefined, random: () => 0.5 }));
  for (const node of nodes) node.start([job]);
  await until(() => runs >= 5);
  await Promise.all(nodes.map((node) => node.stop()));
  assert.is(most, 1);
  assert.is(shared.held.size, 0);
});

scheduler('leaves nothing at the signal of its stop, which lives as long as the process', async () => {
  let stop: AbortSignal | undefined;
  let runs = 0;
  const jobs = new Scheduler({ ...leases(), report: () => undefined, random: () => 0 });
  const everyMs = 1;
  jobs.start([
    // A job of every node is given that very signal.
    { name: 'own', everyMs, scope: 'node', atStart: true, run: async (signal) => void (stop = signal) },
    { name: 'shared', everyMs, scope: 'cluster', atStart: true, run: async () => void runs++ },
  ]);
  await until(() => runs >= 20);
  const signal: object = stop ?? {};
  // Node keeps what was made of a signal by `AbortSignal.any`, and its listeners, in sets and maps of that signal.
  const kept = Object.getOwnPropertySymbols(signal).map((name) => Object(Reflect.get(signal, name)).size ?? 0);
  assert.ok(Math.max(...kept) < 10, `${kept}`);
  await jobs.stop();
});

/** Starts a job of the cluster that goes on until it is told to end. */
async function endless(renew: () => Promise<boolean>) {
  let ended = false;
  const lease: Lease = { renew, release: async () => undefined };
  const jobs = new Scheduler({ acquireLease: async () => lease, report: () => undefined, random: () => 0 });
  const run = async (signal: AbortSignal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    ended = true;
  };
  jobs.start([{ name: 'endless', everyMs: 3_600_000, scope: 'cluster', atStart: true, run }]);
  await sleep(5);
  return { jobs, isEnded: () => ended };
}

scheduler('tells a job of the cluster to end when its node stops', async () => {
  const { jobs, isEnded } = await endless(async () => true);
  assert.not(isEnded());
  await jobs.stop();
  assert.ok(isEnded());
});

scheduler('tells a job to end when another node has its lease, and not when nobody can tell', async () => {
  const { setInterval } = globalThis;
  const answers = [async () => true, () => Promise.reject(new Error('out of reach')), async () => false];
  let asked = 0;
  // A third of the time of the lease would be long for a test.
  Object.assign(globalThis, { setInterval: (renew: () => void) => setInterval(renew, 20) });
  try {
    const { jobs, isEnded } = await endless(async () => {
      assert.not(isEnded());
      asked += 1;
      return answers[asked - 1]?.() ?? false;
    });
    await until(() => isEnded());
    assert.is(asked, 3);
    await jobs.stop();
  } finally {
    Object.assign(globalThis, { setInterval });
  }
});

scheduler('says how long a job took, though the clock is put back meanwhile', async () => {
  const { now } = Date;
  const jobs = new Scheduler({ ...leases(), report: () => undefined, random: () => 0 });
  const run = async () => {
    Date.now = () => now() - 3_600_000;
  };
  try {
    jobs.start([{ name: 'any', everyMs: 60_000, scope: 'node', atStart: true, run }]);
    await until(() => jobs.states()[0]?.outcome === 'done');
  } finally {
    Date.now = now;
    await jobs.stop();
  }
  const took = jobs.states()[0]?.lastMs ?? -1;
  assert.ok(took >= 0, `${took} ms`);
});

scheduler('waits for a running job when it stops, and tells it so', async () => {
  let begun = false;
  let finished = false;
  const jobs = new Scheduler({ ...leases(), report: () => undefined, random: () => 0 });
  jobs.start([
    {
      name: 'long',
      everyMs: 1000,
      scope: 'node',
      atStart: true,
      async run(signal) {
        begun = true;
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        finished = true;
      },
    },
  ]);
  await until(() => begun);
  await jobs.stop();
  assert.ok(finished);
});

scheduler.run();
