import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MemoryLeases } from '../../../daemon/cluster/leases.ts';
import { taskFollowUpJobs } from '../../../daemon/jobs/task-follow-up.ts';

const jobs = suite('jobs/task-follow-up');
const never = new AbortController().signal;

jobs('ask for the tasks of a platform once an interval, however many nodes have a turn in it', async () => {
  const clock = { ms: 0 };
  const leases = new MemoryLeases(() => clock.ms);
  const asked: string[] = [];
  const round = (platform: string) => ({ round: async () => void asked.push(platform) });
  const nodes = [1, 2, 3].map(() => taskFollowUpJobs({ drawing: round('drawing'), song: round('song') }, leases));
  const turn = async () => {
    for (const job of nodes.flat()) await job.run(never);
  };
  await turn();
  assert.equal(asked, ['drawing', 'song']);
  clock.ms = 7_500;
  await turn();
  assert.is(asked.length, 2);
  clock.ms = 15_000;
  await turn();
  assert.equal(asked.slice(2), ['drawing', 'song']);
});

jobs.run();
