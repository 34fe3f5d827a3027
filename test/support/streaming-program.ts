/** The built daemon as a process of its own, in which a stream runs until it is let go on. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBuilt } from './command-line.ts';
import { startTestDaemon } from './daemon.ts';
import { sseAnswer, startFakeUpstream } from './fake-upstream.ts';
import { until } from './until.ts';

export interface StreamingProgram {
  readonly stream: Response;
  /** Lines of standard error so far. */
  readonly lines: readonly string[];
  said(line: RegExp): boolean;
  kill(signal: NodeJS.Signals): void;
  /** Asks for another answer as the first. */
  ask(): Promise<Response>;
  /** Lets the upstream end its answers. */
  letEnd(): void;
  /** Exit code or signal. */
  readonly ended: Promise<unknown>;
  close(): Promise<void>;
}

const secret = 'a root secret for tests of the whole daemon';

/** @param environment of the process beside what it needs */
export async function startStreamingProgram(environment: NodeJS.ProcessEnv = {}): Promise<StreamingProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-streaming-'));
  const databaseUrl = `sqlite:${join(folder, 'tollgate.db')}`;
  const lines: string[] = [];
  const said = (line: RegExp) => lines.some((text) => line.test(text));
  let mayEnd = false;
  const piece = (content: string) => ({ id: 'c', model: 'm', choices: [{ index: 0, delta: { content } }] });
  const answer = sseAnswer([piece('first'), piece('second'), '[DONE]'], { goOn: () => until(() => mayEnd) });
  const upstream = await startFakeUpstream(() => answer);
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
    ...environment,
  });
  const ended = new Promise((resolve) => program.on('close', (code, signal) => resolve(signal ?? code)));
  program.stderr?.on('data', (text: Buffer) => lines.push(...String(text).split('\n')));
  const close = async () => {
    program.kill('SIGKILL');
    await ended;
    await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await until(() => said(/^listening on /));
    const url = lines.find((line) => line.startsWith('listening on '))?.slice(13);
    const ask = () =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] }),
      });
    const letEnd = () => {
      mayEnd = true;
    };
    const kill = (signal: NodeJS.Signals) => program.kill(signal);
    return { stream: await ask(), lines, said, kill, ask, letEnd, ended, close };
  } catch (error) {
    await close();
    throw error;
  }
}
