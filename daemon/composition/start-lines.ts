/**
 * What a daemon tells its operator of its start and its end, line by line, in both languages. Names of parts before the
 * colon stay the words of the configuration; what others say of a failure stays as they say it.
 */
import type { Language } from '../contract/error-codes.ts';

/** One line in both languages. */
export type StartLine = Readonly<Record<Language, string>>;

const line = (en: string, zh: string): StartLine => ({ en, zh });

/** @param problem what is wrong with the configuration, in the operator's language */
export function configLine(problem: string): StartLine {
  return line(`config: ${problem}`, `config：${problem}`);
}

/** @param migrations how many ran */
export function databaseLine(place: string, migrations: number): StartLine {
  if (migrations === 0) return line(`database: ${place}, schema is current`, `database：${place}，结构已是最新`);
  const steps = migrations === 1 ? '1 migration ran' : `${migrations} migrations ran`;
  return line(`database: ${place}, ${steps}`, `database：${place}，已执行 ${migrations} 个迁移`);
}

export const redisLines = {
  unset: line(
    'redis: not used, counters live in this process (set redis.url for several nodes)',
    'redis：未使用，计数保存在本进程内（多节点时请设置 redis.url）',
  ),
  connected: line('redis: used for counters and announcements', 'redis：用于计数与节点间通知'),
  unreached: line('redis: configured, not reached yet; going on without', 'redis：已配置但尚未连上，暂不使用'),
} as const;

const origins = {
  file: ['file', '已有文件'],
  created: ['created', '新建'],
} as const;

/** @param origin of a secret that lies in a file at `path` */
export function secretLine(origin: 'config' | keyof typeof origins, path: string | undefined): StartLine {
  if (origin === 'config') return line('secret: from the configuration', 'secret：来自配置');
  const [en, zh] = origins[origin];
  return line(`secret: ${path} (${en})`, `secret：${path}（${zh}）`);
}

/** @param address undefined where no metrics are served */
export function metricsLine(address: string | undefined): StartLine {
  if (address !== undefined) return line(`metrics: ${address}`, `metrics：${address}`);
  return line('metrics: not served (set metrics.listen)', 'metrics：未提供（可设置 metrics.listen）');
}

export function setupTokenLine(token: string): StartLine {
  return line(`setup: one-time setup token ${token}`, `setup：一次性初始化令牌 ${token}`);
}

/** Who may set up a new site: whoever holds the token that this start has made, an earlier one, or the configured one. */
export function setUpHint(url: string, token: 'made' | 'made-before' | 'configured'): StartLine {
  if (token === 'configured') {
    return line(
      `setup: open ${url} with the setup token of the configuration`,
      `setup：请打开 ${url}，并使用配置中的初始化令牌`,
    );
  }
  const which = {
    made: ['that token', '该令牌'],
    'made-before': [
      'the token that the first start printed (security.setup_token sets another)',
      '首次启动时输出的令牌（可用 security.setup_token 另行指定）',
    ],
  } as const;
  const [en, zh] = which[token];
  return line(
    `setup: open ${url} on this machine, or elsewhere with ${en}`,
    `setup：请在本机打开 ${url}，在其他机器上打开则须使用${zh}`,
  );
}

export const consoleUnbuilt = line(
  'console: not built, "npm run build" builds it',
  'console：尚未构建，可用 "npm run build" 构建',
);

export function listeningLine(url: string): StartLine {
  return line(`listening on ${url}`, `正在监听 ${url}`);
}

export function signalLine(name: string): StartLine {
  return line(
    `${name}: no new calls; running streams may end, a second signal stops at once`,
    `${name}：不再接受新的调用，进行中的流可继续至结束，再次收到信号则立即停止`,
  );
}

export const stoppedLine = line('stopped', '已停止');

export const orphansLine = line(
  'workers: those of an earlier start are ending; waiting for them',
  'workers：正在等待上次启动的工作进程结束',
);

export function workersLine(count: number): StartLine {
  return line(`workers: ${count} share this address`, `workers：${count} 个进程共用此地址`);
}

export function workerEndedLine(number: number, seconds: number): StartLine {
  return line(
    `worker ${number} ended; it is started again in ${seconds} s`,
    `工作进程 ${number} 已结束，${seconds} 秒后重新启动`,
  );
}

/** @param text of the worker, in both languages where it is ours */
export function ofWorker(number: number, text: StartLine): StartLine {
  return line(`worker ${number}: ${text.en}`, `工作进程 ${number}：${text.zh}`);
}

/** What nobody translates, such as what the system says. */
export function verbatim(text: string): StartLine {
  return line(text, text);
}
