/** `--timeout`: a command ends in time, and says whether work may go on without it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, runBuilt, runProgram, wordsOf } from '../support/command-line.ts';
import { startWebServer } from '../support/web-server.ts';

const timeout = suite('time limits of commands');

interface SilentServer {
  readonly environment: Record<string, string>;
  /** Runs a command, and lets time pass quickly once the server was asked for something. */
  run(line: string): Promise<Ended>;
  /** What it was asked and never answers. */
  readonly asked: readonly string[];
}

/** A server that says who calls, and never answers what is asked for. */
async function withSilent(work: (server: SilentServer) => Promise<void>): Promise<void> {
  const asked: string[] = [];
  const server = await startWebServer(({ method, url }) => {
    if (url.startsWith('/api/user/self')) return { success: true, message: '', data: { role: 100 } };
    asked.push(`${method} ${url}`);
    return new Promise(() => undefined);
  });
  const environment = {
    TOLLGATE_CONFIG_DIR: '/nonexistent',
    TOLLGATE_URL: server.url,
    TOLLGATE_ACCESS_TOKEN: 'x'.repeat(32),
  };
  try {
    await work({
      environment,
      asked,
      async run(line) {
        asked.length = 0;
        mock.timers.enable({ apis: ['setTimeout'] });
        try {
          let isOver = false;
          const running = runProgram(wordsOf(line), { environment }).finally(() => {
            isOver = true;
          });
          while (!isOver) {
            await new Promise((resolve) => setImmediate(resolve));
            // Step by step: a wait may begin only after the first call was heard of.
            if (asked.length > 0) mock.timers.tick(100);
          }
          return await running;
        } finally {
          mock.timers.reset();
        }
      },
    });
  } finally {
    await server.stop();
  }
}

timeout('end a read with 8, as a process does too', () =>
  withSilent(async ({ environment, asked, run }) => {
    const ended = await run('user list --timeout 1s');
    assert.is(ended.code, 8, ended.stderr);
    assert.match(ended.stderr, /^error: the server did not answer within 1s \(timeout\)\n/);
    assert.is(asked.length, 1, 'it was tried again');
    const chinese = { ...environment, TOLLGATE_LANG: 'zh' };
    const built = await runBuilt(wordsOf('log list --timeout 1s'), { environment: chinese });
    assert.is(built.code, 8, built.stderr);
    assert.match(built.stderr, /^错误：服务器未在 1s 内返回结果/);
  }),
);

timeout('say of a write that it may go on, and how to run it again', () =>
  withSilent(async ({ run }) => {
    const ended = await run('token create --name a --quota unlimited --idempotency-key k-1 --timeout 1s');
    assert.is(ended.code, 8, ended.stderr);
    assert.match(ended.stderr, /the work may go on .*\n {2}try: run it again with --idempotency-key k-1\n$/);
    const several = await run('user sign-out 1 2 --yes --timeout 1s -o json');
    assert.equal([several.code, JSON.parse(several.stderr).error.code], [8, 'timeout']);
    const rows = await run('channel test --all --timeout 1s');
    assert.is(rows.code, 8, rows.stderr);
  }),
);

timeout('stand for longer than one answer may take otherwise', () =>
  withSilent(async ({ asked, run }) => {
    const ended = await run('channel fix --timeout 90s');
    assert.equal([ended.code, asked.length], [8, 1], ended.stderr);
  }),
);

timeout(
  'say of a write without an answer that it may have taken effect, and of a question that it was not answered',
  () =>
    withSilent(async ({ environment, run }) => {
      const write = await run('channel fix');
      assert.is(write.code, 10, write.stderr);
      assert.match(
        write.stderr,
        /^error: the call was sent and broke off \(no answer in time\); whether it took effect is not known \(timeout\)\n {2}try: look at the server/,
      );
      const folder = mkdtempSync(join(tmpdir(), 'tollgate-timeout-'));
      writeFileSync(join(folder, 'a.yaml'), 'apiVersion: tollgate/v1\nset: a\noptions: {RetryTimes: 2}\n');
      const question = await run(`diff -f ${join(folder, 'a.yaml')} --timeout 1s`);
      rmSync(folder, { recursive: true });
      assert.match(question.stderr, /^error: the server did not answer within 1s/);
      const server = await startWebServer((_call, response) => {
        response.destroy();
        return new Promise(() => undefined);
      });
      const broken = await runProgram(wordsOf('token create --name a --quota unlimited --idempotency-key k-2'), {
        environment: { ...environment, TOLLGATE_URL: server.url },
      });
      await server.stop();
      assert.is(broken.code, 10, broken.stderr);
      assert.match(
        broken.stderr,
        /whether it took effect is not known .*\n {2}try: run it again with --idempotency-key k-2\n$/,
      );
    }),
);

timeout('let a command be that is done before, and refuse what is no duration', () =>
  withSilent(async ({ environment }) => {
    const done = await runProgram(wordsOf('api GET /api/user/self --timeout 90s --jq .role'), { environment });
    assert.equal([done.code, done.stdout], [0, '100\n'], done.stderr);
    const wrong = await runProgram(wordsOf('api GET /api/user/self --timeout soon'), { environment });
    assert.is(wrong.code, 3);
    assert.match(wrong.stderr, /soon is no duration/);
  }),
);

timeout('wait as long as a limit of the server asks, say so, and end with 9 where that is too long', async () => {
  const withRefusals = async (line: string, ...seconds: number[]) => {
    let asked = 0;
    const server = await startWebServer((_call, response) => {
      asked += 1;
      const next = seconds.shift();
      if (next === undefined) return { success: true, message: '', data: ['gpt-4o'] };
      response.statusCode = 429;
      response.setHeader('Retry-After', String(next));
      return { success: false, message: 'too many', code: 'too_many_requests' };
    });
    const environment = { TOLLGATE_CONFIG_DIR: '/nonexistent', TOLLGATE_URL: server.url, TOLLGATE_ACCESS_TOKEN: 'x' };
    const ended = await runProgram(wordsOf(line), { environment });
    await server.stop();
    return { ...ended, asked };
  };
  const [quiet, told, ...refused] = await Promise.all([
    withRefusals('account models -q', 3),
    withRefusals('account models', 3),
    withRefusals('account models', 61),
    withRefusals('account models --timeout 5s', 6),
    withRefusals('token delete 7 --yes', 1, 61),
    withRefusals('account models --timeout 5s', 3, 3, 3),
  ]);
  assert.equal([quiet.code, quiet.stdout, quiet.stderr], [0, 'gpt-4o\n', '']);
  assert.equal([told.code, told.asked], [0, 2], told.stderr);
  assert.match(told.stderr, /^the server asks to wait 3 s\n/);
  assert.equal(
    refused.map(({ code, asked }) => [code, asked]),
    [
      [9, 1],
      [9, 1],
      [9, 2],
      [9, 2],
    ],
  );
  assert.match(refused.at(-1)?.stderr ?? '', /the server took no more calls within 5s \(too_many_requests\)/);
});

timeout.run();
