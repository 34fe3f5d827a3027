/** What a start says of everything the daemon depends on (REQ-39). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../../daemon/config/load.ts';
import { startDaemon } from '../../../daemon/main.ts';
import { createLogger } from '../../../daemon/telemetry/logger.ts';
import { createWorkspace } from '../../support/workspace.ts';

const lines = suite('a start says of each dependency in a line');

async function saidWith(overrides: Readonly<Record<string, unknown>>, language: 'en' | 'zh' = 'en'): Promise<string[]> {
  const workspace = createWorkspace();
  const said: string[] = [];
  try {
    const config = loadConfig({
      env: {},
      overrides: { listen: '127.0.0.1:0', data_dir: workspace.path('data'), ...overrides },
    });
    const daemon = await startDaemon(config, {
      log: createLogger({ level: 'silent' }),
      say: (line) => said.push(line[language].replace(workspace.path('data'), 'DATA')),
    });
    await daemon.stop();
    return said;
  } finally {
    workspace.remove();
  }
}

const ofDependency = (line: string) => /^(?:database|redis|secret|metrics): /.test(line);

lines('that it is used, or not and why', async () => {
  const said = (await saidWith({})).filter(ofDependency);
  assert.match(said[0] ?? '', /^database: sqlite:DATA\/tollgate\.db, \d+ migrations ran$/);
  assert.equal(said.slice(1), [
    'redis: not used, counters live in this process (set redis.url for several nodes)',
    'secret: DATA/secret (created)',
    'metrics: not served (set metrics.listen)',
  ]);
});

lines('that it is configured and could not be reached', async () => {
  const said = (await saidWith({ 'redis.url': 'redis://127.0.0.1:1', 'metrics.listen': '127.0.0.1:0' })).filter(
    ofDependency,
  );
  assert.is(said[1], 'redis: configured, not reached yet; going on without');
  assert.match(said[3] ?? '', /^metrics: http:\/\/127\.0\.0\.1:\d+\/metrics$/);
});

lines('in Chinese to who reads Chinese', async () => {
  const said = await saidWith({}, 'zh');
  assert.match(said[0] ?? '', /^database：sqlite:DATA\/tollgate\.db，已执行 \d+ 个迁移$/);
  assert.equal(said.slice(1, 4), [
    'redis：未使用，计数保存在本进程内（多节点时请设置 redis.url）',
    'secret：DATA/secret（新建）',
    'metrics：未提供（可设置 metrics.listen）',
  ]);
  assert.match(said.at(-1) ?? '', /^正在监听 http:/);
});

lines.run();
