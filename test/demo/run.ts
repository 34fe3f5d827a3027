/**
 * `npm run demo`: the gateway's main job on one screen, with nothing faked but the upstream, which replays a recording.
 * Daemon, CLI and the official `openai` package are the real ones, on a temporary SQLite database.
 * `--keep` leaves it running and prints address, user and token.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';
import { type FakeUpstream, startFakeUpstream } from '../support/fake-upstream.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const program = join(root, 'dist/bin/tollgate.js');
const keep = process.argv.includes('--keep');
const password = 'demo-password-1';
const model = 'gpt-5';

interface Finished {
  stdout: string;
  stderr: string;
}

/** Runs `tollgate …` to its end; throws with its messages when it fails. */
function tollgate(environment: NodeJS.ProcessEnv, args: readonly string[], input = ''): Promise<Finished> {
  console.log(`$ tollgate ${args.join(' ')}`);
  const child = spawn(process.execPath, [program, ...args], { env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      if (code === 0) resolve({ stdout, stderr });
      else reject(new Error(`tollgate ${args[0]} ended with ${code}\n${stderr}`));
    });
  });
}

/** Starts the daemon and waits for the line that names its address. */
function serve(environment: NodeJS.ProcessEnv): Promise<{ url: string; stop(): Promise<number | null> }> {
  const child = spawn(process.execPath, [program, 'serve'], { env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return new Promise((resolve, reject) => {
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => {
      log += chunk;
      const url = log.match(/http:\/\/127\.0\.0\.1:\d+/)?.[0];
      if (url !== undefined) {
        resolve({
          url,
          stop() {
            child.kill('SIGTERM');
            return ended;
          },
        });
      }
    });
    ended.then((code) => reject(new Error(`the daemon ended with ${code}\n${log}`)));
  });
}

function replay(): Promise<FakeUpstream> {
  const recording = readFileSync(join(root, 'test/fixtures/openai/demo-gpt-5-stream/stream.sse'), 'utf8');
  const events = recording.split(/(?<=\n\n)/);
  return startFakeUpstream({ headers: { 'content-type': 'text/event-stream' }, chunks: events, pauseMs: 15 });
}

interface LogRow {
  request_id: string;
  model_name: string;
  prompt_tokens: number;
  completion_tokens: number;
  quota: number;
  content: string;
  other: {
    model_ratio: number;
    completion_ratio: number;
    group_ratio: number;
    cache_tokens?: number;
    settle_reason: string;
  };
}

function arithmetic(row: LogRow): string {
  const { model_ratio, completion_ratio, group_ratio } = row.other;
  return `(${row.prompt_tokens} + ${row.completion_tokens} × ${completion_ratio}) × ${model_ratio} × ${group_ratio} = ${row.quota} units = $${(row.quota / 500_000).toFixed(6)}`;
}

async function balanceOf(environment: NodeJS.ProcessEnv): Promise<number> {
  const { stdout } = await tollgate(environment, ['api', 'GET', '/api/user/self', '--jq', '.quota']);
  return Number(stdout);
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-demo-'));
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    LANG: 'C',
    TOLLGATE_LISTEN: '127.0.0.1:0',
    TOLLGATE_DATABASE_URL: `sqlite:${join(folder, 'demo.db')}`,
    TOLLGATE_DATA_DIR: folder,
    TOLLGATE_CONFIG_DIR: join(folder, 'profile'),
    TOLLGATE_EGRESS_ALLOW: '127.0.0.1/32',
  };
  const upstream = await replay();
  const daemon = await serve(environment);
  const client = { ...environment, TOLLGATE_URL: daemon.url };
  console.log(`Tollgate listens on ${daemon.url}, the recorded upstream on ${upstream.url}\n`);

  const setup = ['setup', '--username', 'root', '--password-stdin', '--mode', 'external', '--login'];
  await tollgate(client, setup, password);
  await tollgate({ ...client, DEMO_KEY: 'sk-recorded' }, [
    ...['channel', 'create', '--name', 'recorded', '--type', 'openai', '--key', 'env:DEMO_KEY'],
    ...['--base-url', upstream.url, '--models', model],
  ]);
  const { stdout: key } = await tollgate(client, ['token', 'create', '--name', 'demo', '--quota', '1usd', '-q']);
  const before = await balanceOf(client);

  console.log(`\nAsking ${model} through the gateway with the openai package:\n`);
  const openai = new OpenAI({ baseURL: `${daemon.url}/v1`, apiKey: key.trim() });
  const stream = await openai.chat.completions.create({
    model,
    stream: true,
    messages: [{ role: 'user', content: 'Describe the picture in one sentence.' }],
  });
  for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');
  console.log('\n');

  const { stdout: rows } = await tollgate(client, ['log', 'list', '--type', 'consume', '--limit', '1', '--json']);
  const [row] = JSON.parse(rows) as LogRow[];
  if (row === undefined) throw new Error('the call left no log row');
  const after = await balanceOf(client);
  console.log(`\nLog row      ${row.request_id}  ${row.model_name}  ${row.other.settle_reason}`);
  console.log(`Charge       ${arithmetic(row)}`);
  console.log(`Balance      ${before} before, ${after} after, ${before - after} spent`);
  if (before - after !== row.quota) throw new Error('the balance did not move by the charge');

  if (keep) {
    console.log(`\nAddress ${daemon.url}\nUser    root / ${password}\nToken   ${key.trim()}\nCtrl-C ends it.`);
    await new Promise((resolve) => process.once('SIGINT', resolve));
  }
  await daemon.stop();
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
}

await main();
