import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { GroupCommit } from '../../../daemon/domain/group-commit.ts';
import { TollgateError } from '../../../daemon/errors.ts';

const groups = suite('group commit');

/** A commit that takes a few turns of the event loop and notes what it was given. */
function recorder(options: { maxGroup?: number; maxWaiting?: number } = {}) {
  const seen: number[][] = [];
  let running = 0;
  const commit = new GroupCommit<number, string>({
    maxGroup: options.maxGroup ?? 100,
    maxWaiting: options.maxWaiting ?? 100,
    commit: async (items) => {
      running += 1;
      assert.is(running, 1, 'one commit at a time');
      seen.push([...items]);
      await new Promise((resume) => setTimeout(resume, 5));
      running -= 1;
      if (items.includes(13)) throw new TollgateError('db_unavailable');
      return items.map(String);
    },
  });
  return { commit, seen };
}

groups('commits what arrives together in one group, and what arrives meanwhile in the next', async () => {
  const { commit, seen } = recorder();
  const first = [1, 2, 3].map((item) => commit.submit(item));
  await new Promise((resume) => setTimeout(resume, 2));
  const second = [4, 5].map((item) => commit.submit(item));
  assert.equal(await Promise.all([...first, ...second]), ['1', '2', '3', '4', '5']);
  assert.equal(seen, [
    [1, 2, 3],
    [4, 5],
  ]);
  assert.is(await commit.submit(6), '6', 'and begins again after it came to rest');
});

groups('keeps groups within their size', async () => {
  const { commit, seen } = recorder({ maxGroup: 2 });
  await Promise.all([1, 2, 3, 4, 5].map((item) => commit.submit(item)));
  assert.equal(seen, [[1, 2], [3, 4], [5]]);
});

groups('fails a group as a whole when its commit fails, and goes on', async () => {
  const { commit } = recorder({ maxGroup: 2 });
  const results = await Promise.allSettled([12, 13, 14].map((item) => commit.submit(item)));
  assert.equal(
    results.map((result) => result.status),
    ['rejected', 'rejected', 'fulfilled'],
  );
});

groups('refuses more than may wait', async () => {
  const { commit } = recorder({ maxWaiting: 2 });
  const accepted = [1, 2].map((item) => commit.submit(item));
  try {
    await commit.submit(3);
    assert.unreachable();
  } catch (error) {
    assert.is(error instanceof TollgateError && error.code, 'over_capacity');
  }
  await Promise.all(accepted);
});

groups('comes to rest', async () => {
  const { commit } = recorder();
  let done = false;
  void commit.submit(1).then(() => {
    done = true;
  });
  await commit.idle();
  assert.ok(done);
  assert.is(commit.waiting, 0);
});

groups.run();
