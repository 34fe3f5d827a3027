import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MemoryLeases } from '../../../daemon/cluster/leases.ts';
import { channelJobs } from '../../../daemon/jobs/channel-checks.ts';

const jobs = suite('jobs/channel-checks');
const never = new AbortController().signal;

function world() {
  const clock = { ms: 0 };
  const ran: string[] = [];
  const checks = {
    run: async () => ran.push('test') > 0,
    runBalances: async () => ran.push('balance') > 0,
  };
  return { clock, ran, checks, leases: new MemoryLeases(() => clock.ms) };
}

jobs('are none unless an interval is set', () => {
  const { checks, leases } = world();
  assert.equal(channelJobs({ checks, leases, testEveryMinutes: 0, balanceEveryMinutes: 0 }), []);
  const one = channelJobs({ checks, leases, testEveryMinutes: 0, balanceEveryMinutes: 5 });
  assert.equal(
    one.map(({ name, everyMs }) => [name, everyMs]),
    [['channel-balance', 300_000]],
  );
});

jobs('run once an interval, however many nodes have a turn in it', async () => {
  const { checks, leases, clock, ran } = world();
  const node = () => channelJobs({ checks, leases, testEveryMinutes: 10, balanceEveryMinutes: 10 });
  for (const job of [...node(), ...node(), ...node()]) await job.run(never);
  assert.equal(ran, ['test', 'balance']);
  clock.ms = 9 * 60_000 - 1;
  for (const job of node()) await job.run(never);
  assert.is(ran.length, 2);
  clock.ms = 10 * 60_000;
  for (const job of [...node(), ...node()]) await job.run(never);
  assert.equal(ran.slice(2), ['test', 'balance']);
});

jobs.run();
