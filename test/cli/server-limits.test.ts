/** The server's limits from the caller's side: calls are spread before there is no room, and every long wait is told. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CliError } from '../../cli/errors.ts';
import { ServerLimits } from '../../cli/server-limits.ts';
import { MemoryCounters } from '../../daemon/cluster/memory-counters.ts';
import { contract } from '../../daemon/contract/index.ts';
import { ApiLimits } from '../../daemon/domain/api-limits.ts';
import { TollgateError } from '../../daemon/errors.ts';
import { runProgram, wordsOf } from '../support/command-line.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { startWebServer } from '../support/web-server.ts';

const limits = suite('calls within the limits of the server');

const off = { enabled: false, count: 1, seconds: 1 };

/** The daemon's own counting and the command line's waiting on one clock that nobody has to wait for. */
function scene({ count, seconds, timeout }: { count: number; seconds: number; timeout?: string }) {
  const clock = { ms: 1000 };
  const counters = new MemoryCounters({ now: () => clock.ms });
  const perUser = { enabled: true, count, seconds };
  const rules = { globalApi: off, globalWeb: off, critical: off, search: off, download: off, perUser };
  const server = new ApiLimits({ counters, rules: () => rules });
  const waits: number[] = [];
  const notes: string[] = [];
  const governor = new ServerLimits({
    command: {
      flags: timeout === undefined ? {} : { timeout },
      signal: new AbortController().signal,
      say: ({ en, zh }) => `${en} / ${zh}`,
      note: (text) => notes.push(text),
    },
    sleep: async (ms) => {
      waits.push(ms);
      clock.ms += ms;
    },
    now: () => clock.ms,
  });
  /** Whether the server lets a call in. */
  const ask = async (): Promise<{ allowed: boolean; headers: Headers }> => {
    const headers = new Headers();
    try {
      await server.admit('standard', { clientAddress: '1.1.1.1', userId: 1 }, (told) => {
        for (const [name, value] of told) headers.set(name, value);
      });
      return { allowed: true, headers };
    } catch (error) {
      assert.ok(error instanceof TollgateError);
      headers.set('Retry-After', String(error.retryAfterSeconds));
      return { allowed: false, headers };
    }
  };
  /** @param road turns of the event loop that an answer takes to arrive */
  const call = async (road = 0): Promise<boolean> => {
    const paced = await governor.pace(contract.tokens.delete);
    const { allowed, headers } = await ask();
    clock.ms += 5;
    for (let turn = 0; turn < road; turn += 1) await new Promise(setImmediate);
    paced.answered(new Response(null, { status: allowed ? 200 : 429, headers }));
    paced.ended();
    return allowed;
  };
  return { clock, waits, notes, ask, call };
}

limits('let any number of calls through without a refusal and without a long wait', async () => {
  for (const { count, seconds } of [
    { count: 180, seconds: 180 },
    { count: 600, seconds: 60 },
    { count: 30, seconds: 60 },
    { count: 1, seconds: 2 },
  ]) {
    const { call, clock, waits } = scene({ count, seconds });
    const calls = count * 3;
    for (let at = 0; at < calls; at += 1) assert.ok(await call(), `call ${at} of ${count} in ${seconds} s`);
    assert.ok(Math.max(...waits) <= (seconds * 1000) / 8 || count === 1, `waited ${Math.max(...waits)} ms`);
    // Three windows hold three times the limit; nothing is lost by spreading.
    assert.ok(clock.ms < seconds * 3100 + 1000, `${count} in ${seconds} s took ${clock.ms} ms`);
  }
});

limits('let calls side by side through without a refusal, whose answers come in any order', async () => {
  for (const { count, seconds } of [
    { count: 180, seconds: 180 },
    { count: 20, seconds: 60 },
    { count: 3, seconds: 10 },
  ]) {
    for (const workers of [4, 32]) {
      const { call, clock } = scene({ count, seconds });
      let left = count * 3;
      let refusals = 0;
      const work = async (worker: number): Promise<void> => {
        for (; left > 0; ) {
          left -= 1;
          while (!(await call((worker * 7 + left) % 5))) refusals += 1;
        }
      };
      await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
      const shown = `${workers} at once, ${count} in ${seconds} s: ${refusals} refused, ${clock.ms} ms`;
      assert.is(refusals, 0, shown);
      assert.ok(clock.ms < seconds * 3300 + 3000, shown);
    }
  }
});

limits('learn from one refusal what holds for all calls side by side, and try no sooner', async () => {
  const { ask, call, clock } = scene({ count: 20, seconds: 60 });
  for (let other = 0; other < 20; other += 1) await ask();
  let refusals = 0;
  const work = async (worker: number): Promise<void> => {
    while (!(await call(worker % 3))) refusals += 1;
  };
  await Promise.all([0, 1, 2, 3].map(work));
  assert.is(refusals, 1);
  assert.ok(clock.ms >= 60_000 && clock.ms < 63_000, String(clock.ms));
});

limits('make nobody wait who has few calls to make and room for them', async () => {
  const { ask, call, waits } = scene({ count: 180, seconds: 180 });
  for (let other = 0; other < 172; other += 1) await ask();
  for (let at = 0; at < 8; at += 1) assert.ok(await call());
  assert.equal(waits, []);
});

limits('tell every wait of more than two seconds, in both languages, and no shorter one', async () => {
  const { ask, call, notes, waits } = scene({ count: 60, seconds: 60 });
  for (let other = 0; other < 59; other += 1) await ask();
  assert.ok(await call());
  assert.ok(await call());
  assert.equal(notes, ['the server asks to wait 60 s / 服务器要求等待 60 秒']);
  const slow = scene({ count: 30, seconds: 120 });
  for (let at = 0; at < 60; at += 1) assert.ok(await slow.call());
  assert.is(slow.notes.length, slow.waits.filter((ms) => ms > 2000).length);
  assert.ok(
    slow.notes.some((note) => /^the server has room for few calls; the next one in \d+ s \/ 服务器/.test(note)),
  );
  assert.ok(waits.length > 0);
});

limits('end the command with 9 instead of a wait over --timeout', async () => {
  const { ask, call } = scene({ count: 5, seconds: 90, timeout: '80s' });
  for (let other = 0; other < 4; other += 1) await ask();
  assert.ok(await call());
  try {
    await call();
    assert.unreachable();
  } catch (error) {
    assert.ok(error instanceof CliError);
    assert.equal([error.code, error.exitCode], ['too_many_requests', 9]);
    assert.match(error.text.en, /no more calls for 90 s/);
  }
  const patient = scene({ count: 5, seconds: 90, timeout: '91s' });
  for (let other = 0; other < 5; other += 1) await patient.ask();
  assert.is(await patient.call(), false);
  assert.is(await patient.call(), true);
});

limits('keep bulk commands from being refused by a daemon with small limits', async () => {
  const daemon = await startTestDaemon({ config: { 'limits.per_user.seconds': 1 } });
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-limits-'));
  const environment = {
    TOLLGATE_CONFIG_DIR: folder,
    TOLLGATE_URL: daemon.url,
    TOLLGATE_ACCESS_TOKEN: daemon.accessToken,
  };
  const run = async (line: string, input = '') => {
    const ended = await runProgram([...wordsOf(line), '--debug'], { environment, input });
    assert.is(ended.code, 0, ended.stderr);
    return { ...ended, statuses: ended.stderr.match(/^(?:GET|POST|DELETE) \S+ \d+/gm) ?? [] };
  };
  try {
    for (let at = 0; at < 26; at += 1) await daemon.addKey();
    const ids = (await daemon.root.tokens.list({ page_size: 22 })).items.map(({ id }) => id);
    await daemon.root.options.set({ key: 'UserApiRateLimit', value: '20' });
    const gone = await run('token delete - --yes', ids.join('\n'));
    // What others have called just before is learnt from one refusal.
    const [first, ...others] = gone.statuses.filter((call) => !call.endsWith(' 200'));
    assert.equal([first ?? ' 429', ...others].length, 1, gone.statuses.join('\n'));
    assert.is(gone.statuses.filter((call) => /^DELETE .* 200$/.test(call)).length, 22);
    assert.is((await daemon.root.tokens.list({})).total, 4);
  } finally {
    await daemon.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

limits('hold side by side calls back together, and learn from a refusal that nothing announced', async () => {
  // Two of the three that may be on their way at one time.
  let refusals = 2;
  let early = 0;
  const free = { at: 0 };
  const site = await startWebServer(({ url }, response) => {
    if (url.startsWith('/api/channel/?')) {
      const items = Array.from({ length: 12 }, (_, id) => ({
        id: id + 1,
        name: `c${id + 1}`,
        status: 1,
        models: 'm',
        test_model: '',
      }));
      return { success: true, message: '', data: items, total: 12, type_counts: {} };
    }
    if (url.startsWith('/api/status')) {
      const data = { quota_per_unit: 500_000, display_in_currency: true, time_zone: 'UTC' };
      return { success: true, message: '', data };
    }
    if (refusals > 0) {
      refusals -= 1;
      free.at = performance.now() + 1000;
      response.statusCode = 429;
      response.setHeader('Retry-After', '1');
      return { success: false, message: 'too many', code: 'too_many_requests' };
    }
    // What was on its way with the refused ones is none of the governor's doing.
    if (free.at - performance.now() >= 20) early += 1;
    return { success: early <= 1, message: 'too early', time: 0.1 };
  });
  const environment = { TOLLGATE_CONFIG_DIR: '/nonexistent', TOLLGATE_URL: site.url, TOLLGATE_ACCESS_TOKEN: 'x' };
  try {
    const tested = await runProgram(wordsOf('channel test --all --concurrency 3 -o json'), { environment });
    assert.is(tested.code, 0, tested.stderr + tested.stdout);
    assert.is(JSON.parse(tested.stdout).length, 12);
  } finally {
    await site.stop();
  }
});

limits.run();
