/** Runs once: what happens to the daemon of a terminal that is closed, which is told by SIGHUP, and more than once. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startBuilt } from '../support/command-line.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { until } from '../support/until.ts';

const terminal = suite('a daemon whose terminal is closed');
const secret = 'a root secret for tests of the whole daemon';

terminal('lets running streams end and stops as by SIGTERM, however often it is told', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-terminal-'));
  const databaseUrl = `sqlite:${join(folder, 'tollgate.db')}`;
  const lines: string[] = [];
  const said = (line: RegExp) => lines.some((text) => line.test(text));
  let mayEnd = false;
  const piece = (content: string) => ({ id: 'c', model: 'm', choices: [{ index: 0, delta: { content } }] });
  const upstream = await startFakeUpstream(
    sseAnswer([piece('first'), piece('second'), '[DONE]'], { goOn: () => until(() => mayEnd) }),
  );
  const setUp = await startTestDaemon({ databaseUrl, dataDir: folder, config: { secret } });
  await setUp.addChannel({ base_url: upstream.url, models: 'm' });
  await setUp.root.options.set({ key: 'ModelPrice', value: '{"m":0}' });
  const key = await setUp.addKey({ unlimited_quota: true });
  await setUp.stop();

  const program = startBuilt(['serve'], {
    TOLLGATE_LISTEN: '127.0.0.1:0',
    TOLLGATE_DATA_DIR: folder,
    TOLLGATE_DATABASE_URL: databaseUrl,
    TOLLGATE_SECRET: secret,
    TOLLGATE_EGRESS_ALLOW: '127.0.0.0/8',
  });
  const ended = new Promise((resolve) => program.on('close', (code, signal) => resolve(signal ?? code)));
  program.stderr?.on('data', (text: Buffer) => lines.push(...String(text).split('\n')));
  try {
    await until(() => said(/^listening on /));
    const url = lines.find((line) => line.startsWith('listening on '))?.slice(13);
    const stream = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] }),
    });
    assert.is(stream.status, 200);
    program.kill('SIGHUP');
    await until(() => said(/^SIGHUP: no new calls/));
    program.kill('SIGHUP');
    mayEnd = true;
    assert.match(await stream.text(), /second[\s\S]*\[DONE\]/);
    assert.is(await ended, 0, lines.join('\n'));
    assert.ok(said(/^stopped$/));
  } finally {
    program.kill('SIGKILL');
    await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

terminal.run();
