/** A built daemon on core 0 with one root user, a channel and a token for each kind of answer, set up over its API. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Child, start } from './processes.ts';
import type { Kind } from './references.ts';

export interface Gateway {
  readonly url: string;
  readonly pid: number;
  /** `Authorization` header for each kind. */
  readonly authorization: Record<Kind, string>;
  /** Milliseconds from spawn to the first answer of `/healthz`. */
  readonly startMs: number;
  /** As root. */
  readonly management: Management;
  stop(): Promise<void>;
}

export interface GatewayOptions {
  root: string;
  databaseUrl?: string;
  upstream: Record<Kind, string>;
  environment?: NodeJS.ProcessEnv;
  /** Cores it may use; core 0 unless told otherwise. */
  cores?: readonly number[];
  /** Folder for a CPU profile of the whole run. */
  profileDir?: string;
}

const password = 'bench-password-1';

interface Answer {
  success: boolean;
  message: string;
  data: unknown;
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && 'success' in value;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** The management API, as root once signed in. */
export class Management {
  readonly #url: string;
  #headers: Record<string, string> = { 'content-type': 'application/json' };

  constructor(url: string) {
    this.#url = url;
  }

  async call(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(this.#url + path, {
      method,
      headers: this.#headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const cookie = response.headers.get('set-cookie')?.split(';')[0];
    if (cookie) this.#headers = { ...this.#headers, cookie };
    const answer: unknown = await response.json();
    if (!isAnswer(answer) || !answer.success) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer.data;
  }

  /** Makes the root account; its id. */
  async signIn(): Promise<unknown> {
    await this.call('POST', '/api/setup', { username: 'root', password, confirmPassword: password });
    const user = await this.call('POST', '/api/user/login', { username: 'root', password });
    const id = member(user, 'id');
    this.#headers = { ...this.#headers, 'Tollgate-User': String(id) };
    return id;
  }
}

async function setUp(management: Management, upstream: Record<Kind, string>): Promise<Record<Kind, string>> {
  const id = await management.signIn();
  const authorize = async (kind: Kind, group: string): Promise<string> => {
    await management.call('POST', '/api/channel/', {
      name: `mock ${kind}`,
      type: 1,
      key: 'bench-key',
      base_url: upstream[kind],
      models: 'gpt-4o-mini',
      group,
    });
    const token = await management.call('POST', '/api/token/', {
      name: kind,
      unlimited_quota: true,
      remain_quota: 0,
      expired_time: -1,
      group,
    });
    return `Bearer sk-${member(token, 'key')}`;
  };
  const authorization = { json: await authorize('json', 'default'), stream: await authorize('stream', 'vip') };
  await management.call('POST', '/api/user/manage', { id, action: 'add_quota', mode: 'add', value: 10 ** 14 });
  return authorization;
}

/** What `npm start` gives to Node. */
function startArguments(root: string): string[] {
  const scripts: unknown = member(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')), 'scripts');
  const [node, ...given] = String(member(scripts, 'start')).split(' ');
  if (node !== 'node') throw new Error('npm start does not start the daemon with node');
  return given.map((argument) => (argument.startsWith('dist/') ? join(root, argument) : argument));
}

/** Starts the built daemon as `npm start` does, and sets it up. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
  const began = performance.now();
  let log = '';
  const profiling = options.profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profileDir}`];
  const daemon: Child = start([process.execPath, ...profiling, ...startArguments(options.root)], {
    core: options.cores ?? 0,
    environment: {
      TOLLGATE_LISTEN: '127.0.0.1:0',
      TOLLGATE_DATA_DIR: folder,
      TOLLGATE_DATABASE_URL: options.databaseUrl ?? `sqlite:${join(folder, 'bench.db')}`,
      TOLLGATE_EGRESS_ALLOW: '127.0.0.1/32',
      TOLLGATE_LOG_LEVEL: 'warn',
      MAX_CONCURRENT_RELAY: '20000',
      TOLLGATE_MAX_CONCURRENT_PER_USER: '20000',
      GLOBAL_API_RATE_LIMIT_ENABLE: 'false',
      ...options.environment,
    },
    onStderr: (text) => {
      log += text;
    },
  });
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setInterval(() => {
      const found = log.match(/http:\/\/127\.0\.0\.1:\d+/)?.[0];
      if (found !== undefined) {
        clearInterval(timer);
        resolve(found);
      } else if (daemon.process.exitCode !== null) {
        clearInterval(timer);
        reject(new Error(`the daemon ended at once\n${log}`));
      }
    }, 2);
  });
  await fetch(`${url}/healthz`);
  const startMs = performance.now() - began;
  const management = new Management(url);
  const authorization = await setUp(management, options.upstream);
  return {
    url,
    pid: daemon.process.pid ?? 0,
    authorization,
    startMs,
    management,
    async stop() {
      await daemon.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
