/** Load: wrk for throughput, a fixed-rate open loop for latency. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { join } from 'node:path';

export interface Throughput {
  rps: number;
  p50: number;
  p99: number;
  /** Answers outside 2xx; anything but 0 spoils the figure. */
  non2xx: number;
}

export interface WrkRun {
  root: string;
  url: string;
  body: string;
  connections: number;
  seconds: number;
  headers: readonly string[];
}

/** One wrk run on core 1. */
export async function wrk(run: WrkRun): Promise<Throughput> {
  const environment: NodeJS.ProcessEnv = { ...process.env, BODY: run.body };
  for (const [index, header] of run.headers.entries()) environment[`HDR_${index + 1}`] = header;
  const child = spawn(
    'taskset',
    [
      '-c',
      '1',
      'wrk',
      '-t1',
      `-c${run.connections}`,
      `-d${run.seconds}s`,
      '--latency',
      '-s',
      join(run.root, 'test/bench/post.lua'),
      run.url,
    ],
    { env: environment, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  await new Promise((resolve) => child.once('close', resolve));
  const figure = (name: string) => Number(out.match(new RegExp(`${name}=([\\d.]+)`))?.[1] ?? Number.NaN);
  return { rps: figure('rps'), p50: figure('p50'), p99: figure('p99'), non2xx: figure('non2xx') };
}

/** Middle value; the lower of two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}

/** Value below which the share `q` lies. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

export interface RateRun {
  url: string;
  body: string;
  rate: number;
  seconds: number;
  headers: Record<string, string>;
}

/** Milliseconds of each call at a fixed rate, measured from the moment the call was due. */
export async function atRate(run: RateRun): Promise<number[]> {
  const body = readFileSync(run.body);
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const took: number[] = [];
  const total = run.rate * run.seconds;
  const begin = performance.now();
  const call = (due: number) =>
    new Promise<void>((resolve, reject) => {
      const outgoing = httpRequest(
        run.url,
        {
          method: 'POST',
          agent,
          headers: { 'content-type': 'application/json', 'content-length': body.length, ...run.headers },
        },
        (response) => {
          response.resume();
          response.once('end', () => {
            took.push(performance.now() - due);
            if (response.statusCode === 200) resolve();
            else reject(new Error(`status ${response.statusCode}`));
          });
        },
      );
      outgoing.once('error', reject);
      outgoing.end(body);
    });
  const calls: Promise<void>[] = [];
  await new Promise<void>((resolve) => {
    let sent = 0;
    const timer = setInterval(() => {
      const due = Math.min(total, Math.floor(((performance.now() - begin) / 1000) * run.rate));
      for (; sent < due; sent += 1) calls.push(call(performance.now()));
      if (sent >= total) {
        clearInterval(timer);
        resolve();
      }
    }, 1);
  });
  await Promise.all(calls);
  agent.destroy();
  return took;
}
