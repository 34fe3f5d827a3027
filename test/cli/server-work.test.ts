/** Work of the server that a command waits for, or not. Runs once: the server is scripted. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runProgram, wordsOf } from '../support/command-line.ts';
import { startWebServer } from '../support/web-server.ts';

const works = suite('work that goes on in the server');

/** A site whose bulk calls go on until it was looked at so often, and whose log shrinks meanwhile. */
async function slowSite(enoughLooks: number) {
  let looks = 0;
  let isDone = false;
  let end: () => void = () => undefined;
  const lookedAt = new Promise<void>((resolve) => {
    end = resolve;
  });
  const site = await startWebServer(async ({ method, url }) => {
    const answer = (data: unknown) => ({ success: true, message: '', data });
    if (url.startsWith('/api/status')) {
      return answer({ quota_per_unit: 500_000, display_in_currency: true, time_zone: 'UTC' });
    }
    if (method === 'DELETE' || url.startsWith('/api/channel/update_balance')) {
      await lookedAt;
      isDone = true;
      return answer(method === 'DELETE' ? 40 : undefined);
    }
    looks += 1;
    if (looks === enoughLooks) end();
    if (url.startsWith('/api/log/')) return answer({ items: [], total: isDone ? 0 : 40, page: 1, page_size: 1 });
    const channel = { id: 7, name: 'seven', status: 1, balance: 2.5, balance_updated_time: isDone ? 1_790_000_000 : 5 };
    const silent = { id: 8, name: 'eight', status: 1, balance: 0, balance_updated_time: 0 };
    return { ...answer([channel, silent]), total: 2, type_counts: {} };
  });
  return site;
}

const run = (line: string, url: string) =>
  runProgram(wordsOf(line), {
    environment: { TOLLGATE_CONFIG_DIR: '/nonexistent', TOLLGATE_URL: url, TOLLGATE_ACCESS_TOKEN: 'x' },
  });

works('is waited for with --wait, and looked at meanwhile', async () => {
  // Once before, and while it goes on.
  const site = await slowSite(2);
  try {
    const gone = await run('log delete --before 1w --confirm 40 --wait --json', site.url);
    assert.equal([gone.code, gone.stdout], [0, '{"count":40}\n'], gone.stderr);
  } finally {
    await site.stop();
  }
});

works('that takes longer than --timeout goes on, and the command ends with 8', async () => {
  const site = await slowSite(Infinity);
  try {
    const late = await run('log delete --before 1w --confirm 40 --wait --timeout 1s', site.url);
    assert.is(late.code, 8, late.stderr);
    assert.match(late.stderr, /still at work \(timeout\)/);
  } finally {
    await site.stop();
  }
});

works('asks all upstreams for their balance in one call', async () => {
  const site = await slowSite(1);
  try {
    const all = await run('channel balance --all --wait --below 5usd --json=id,balance', site.url);
    assert.equal([all.code, JSON.parse(all.stdout)], [2, [{ id: 7, balance: 2.5 }]], all.stderr);
    assert.is(site.asked.filter(({ url }) => url.startsWith('/api/channel/update_balance')).length, 1);
    const wrong = await run('channel balance 7 --wait', site.url);
    assert.equal([wrong.code, wrong.stdout], [3, ''], wrong.stderr);
  } finally {
    await site.stop();
  }
});

works.run();
