/**
 * `npm run bench`: what the gateway costs, as ratios to references of the same run (bench/README of the project's owner).
 *   --only json,stream,translated,live,latency,workers,memory,start   --database sqlite,postgres   --rounds 3   --seconds 5
 * Two cores: the gateway on core 0; load, mock upstream and PostgreSQL on core 1. Absolute figures move with the machine.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/servers.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { type LiveTarget, microsPerEvent, speakingUpstream } from './live.ts';
import { atRate, median, quantile, type Throughput, wrk } from './load.ts';
import { bytesPerStream, holdingUpstream } from './memory.ts';
import { answers, freePort, needPrograms } from './processes.ts';
import { type Kind, type References, startBareProxy, startReferences } from './references.ts';
import { measureWorkers } from './workers.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'start,json,stream,translated,live,latency,workers,memory' },
    database: { type: 'string', default: 'sqlite,postgres' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    streams: { type: 'string', default: '5000' },
  },
});
const root = fileURLToPath(new URL('../../', import.meta.url));
const wanted = new Set(values.only.split(','));
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);

/** A load: what the references serve, and what the gateway is asked on top of that. */
interface Load {
  readonly name: 'json' | 'stream' | 'translated';
  readonly kind: Kind;
  readonly path: string;
  readonly connections: number;
}

const loads: readonly Load[] = [
  { name: 'json', kind: 'json', path: '/v1/chat/completions', connections: 256 },
  { name: 'stream', kind: 'stream', path: '/v1/chat/completions', connections: 64 },
  // The same stream for a client that speaks Anthropic's dialect.
  { name: 'translated', kind: 'stream', path: '/v1/messages', connections: 64 },
];

function line(name: string, figure: Throughput, references: { node: number; nginx: number }): string {
  const ratio = (rps: number, to: number) => (rps / to).toFixed(2);
  return [
    name.padEnd(18),
    `rps ${figure.rps.toFixed(0).padStart(7)}`,
    `p50 ${figure.p50.toFixed(2)} ms`,
    `p99 ${figure.p99.toFixed(2)} ms`,
    `non2xx ${figure.non2xx}`,
    `of node ${ratio(figure.rps, references.node)}`,
    `of nginx ${ratio(figure.rps, references.nginx)}`,
  ].join('  ');
}

/** Round after round, each target in turn; round 0 warms up and is not counted. */
async function throughput(load: Load, references: References, gateways: ReadonlyMap<string, Gateway>): Promise<void> {
  const { name: title, kind, path, connections } = load;
  const targets = [
    ...references.targets[kind].map((target) => ({
      ...target,
      headers: [] as string[],
      body: references.bodies[kind],
    })),
    ...[...gateways].map(([name, gateway]) => ({
      name,
      url: gateway.url + path,
      headers: [`Authorization: ${gateway.authorization[kind]}`],
      body: references.bodies[title],
    })),
  ];
  const results = new Map<string, Throughput[]>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const { name, url, headers, body } of targets) {
      const figure = await wrk({
        root,
        url,
        headers,
        body,
        connections,
        seconds: round === 0 ? 2 : seconds,
      });
      if (round > 0) results.set(name, [...(results.get(name) ?? []), figure]);
    }
  }
  const middle = (name: string): Throughput => {
    const all = results.get(name) ?? [];
    return {
      rps: median(all.map((each) => each.rps)),
      p50: median(all.map((each) => each.p50)),
      p99: median(all.map((each) => each.p99)),
      non2xx: all.reduce((sum, each) => sum + each.non2xx, 0),
    };
  };
  const against = { node: middle('node').rps, nginx: middle('nginx').rps };
  console.log(`\n${title}: medians of ${rounds} rounds of ${seconds} s at ${connections} connections`);
  for (const { name } of targets) console.log(line(name, middle(name), against));
}

async function latency(references: References, gateways: ReadonlyMap<string, Gateway>): Promise<void> {
  console.log('\nlatency: 200 calls a second for 10 s, added to the direct call');
  const [direct] = references.targets.json;
  if (direct === undefined) return;
  const run = { body: references.bodies.json, rate: 200, seconds: 10 };
  await atRate({ ...run, seconds: 2, url: direct.url, headers: {} });
  const base = await atRate({ ...run, url: direct.url, headers: {} });
  for (const [name, gateway] of gateways) {
    const call = {
      ...run,
      url: `${gateway.url}/v1/chat/completions`,
      headers: { authorization: gateway.authorization.json },
    };
    await atRate({ ...call, seconds: 2 });
    const took = await atRate(call);
    const added = (q: number) => (quantile(took, q) - quantile(base, q)).toFixed(2);
    console.log(`${name.padEnd(18)} p50 +${added(0.5)} ms  p99 +${added(0.99)} ms`);
  }
}

/** In turn, round after round; round 0 warms up and is not counted. */
async function live({ bodies }: References): Promise<void> {
  const streams = 150;
  const upstream = await speakingUpstream();
  const gateway = await startGateway({ root, upstream: upstream.urls });
  const port = await freePort();
  const bare = startBareProxy(root, { port, upstream: upstream.urls.stream });
  const node = `http://127.0.0.1:${port}/v1/chat/completions`;
  await answers(node);
  const headers = { authorization: gateway.authorization.stream };
  const targets = new Map<string, LiveTarget>([
    ['node', { url: node, headers: {}, body: bodies.stream, pid: bare.process.pid ?? 0 }],
    ['native', { url: `${gateway.url}/v1/chat/completions`, headers, body: bodies.stream, pid: gateway.pid }],
    ['translated', { url: `${gateway.url}/v1/messages`, headers, body: bodies.translated, pid: gateway.pid }],
  ]);
  const micros = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, target] of targets) {
      const each = await microsPerEvent(target, streams);
      if (round > 0) micros.set(name, [...(micros.get(name) ?? []), each]);
    }
  }
  const middle = (name: string) => median(micros.get(name) ?? []);
  console.log(`\nlive: ${streams} streams at one time, an event every 25 ms; processor time an event`);
  for (const name of targets.keys()) {
    const ratio = (middle('node') / middle(name)).toFixed(2);
    console.log(`${name.padEnd(18)} ${middle(name).toFixed(1).padStart(6)} µs  of node ${ratio}`);
  }
  await gateway.stop();
  await bare.stop();
  upstream.close();
}

async function memory(): Promise<void> {
  const upstream = await holdingUpstream();
  const gateway = await startGateway({ root, upstream: { json: upstream.url, stream: upstream.url } });
  const streams = Number(values.streams);
  const bytes = await bytesPerStream({
    url: gateway.url,
    authorization: gateway.authorization.stream,
    pid: gateway.pid,
    streams,
    upstream,
  });
  console.log(`\nmemory: ${(bytes / 1000).toFixed(1)} kB per open stream at ${streams} open streams`);
  await gateway.stop();
  upstream.close();
}

async function main(): Promise<void> {
  needPrograms();
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-references-'));
  const references = await startReferences(folder, root);
  const gateways = new Map<string, Gateway>();
  const databases = values.database.split(',');
  const postgres = databases.includes('postgres') ? await startPostgres({ durable: true, core: 1 }) : undefined;
  try {
    for (const database of databases) {
      const databaseUrl = database === 'postgres' ? await postgres?.createDatabase() : undefined;
      const gateway = await startGateway({
        root,
        upstream: references.upstream,
        ...(databaseUrl === undefined ? {} : { databaseUrl }),
      });
      gateways.set(`tollgate ${database}`, gateway);
      if (wanted.has('start')) console.log(`start to first answer, ${database}: ${gateway.startMs.toFixed(0)} ms`);
    }
    for (const load of loads) if (wanted.has(load.name)) await throughput(load, references, gateways);
    if (wanted.has('live')) await live(references);
    if (wanted.has('latency')) await latency(references, gateways);
    if (wanted.has('workers') && postgres !== undefined) {
      await measureWorkers({ root, references, postgres, rounds, seconds });
    }
    if (wanted.has('memory')) await memory();
  } finally {
    for (const gateway of gateways.values()) await gateway.stop();
    await postgres?.stop();
    await references.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
