/** Reads what stands in a row's `other`, which any version of the daemon may have written. */

import { both, type Say } from './language.ts';

type Facts = Readonly<Record<string, unknown>>;

/** One try at an upstream; administrators alone are told of them. */
export interface Attempt {
  readonly channel: number;
  /** Row id of the channel's key. */
  readonly key: number;
  /** HTTP status; 0 when the upstream never answered. */
  readonly status: number;
  readonly code: string;
  readonly ms: number;
  readonly message: string;
}

export interface LogFacts {
  /** Tries that failed, or cost something. */
  readonly attempts: readonly Attempt[];
  /** Channels in the order in which they were asked. */
  readonly asked: readonly string[];
  /** Everything else, as words; "" for nothing. */
  readonly rest: string;
}

const isFacts = (value: unknown): value is Facts =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function members(other: string): Facts | undefined {
  try {
    const read: unknown = JSON.parse(other);
    return isFacts(read) ? read : undefined;
  } catch {
    // Rows of other programs may hold a text there.
    return undefined;
  }
}

export function logFacts(other: string): LogFacts {
  const facts = members(other);
  if (facts === undefined) return { attempts: [], asked: [], rest: other };
  const { admin_info: admin, ...shown } = facts;
  const { attempts, use_channel: asked, ...more } = isFacts(admin) ? admin : {};
  return {
    attempts: Array.isArray(attempts) ? attempts.filter(isFacts).map(attemptOf) : [],
    asked: Array.isArray(asked) ? asked.map(String) : [],
    rest: Object.entries({ ...shown, ...more })
      .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join(', '),
  };
}

function attemptOf(facts: Facts): Attempt {
  const number = (name: string) => (typeof facts[name] === 'number' ? facts[name] : 0);
  const text = (name: string) => (typeof facts[name] === 'string' ? facts[name] : '');
  return {
    channel: number('channel'),
    key: number('key'),
    status: number('status'),
    code: text('code'),
    ms: number('ms'),
    message: text('message'),
  };
}

/** A try as one text: which channel and key, what came, and after how long. */
export function attemptText({ channel, key, status, code, ms, message }: Attempt, say: Say): string {
  const came = [status > 0 ? String(status) : say(both('no answer', '无响应')), code]
    .filter((word) => word !== '')
    .join(' ');
  const after = (ms / 1000).toFixed(1);
  const ofKey = key > 0 ? say(both(` key ${key}`, ` 密钥 ${key}`)) : '';
  return say(
    both(
      `channel ${channel}${ofKey}: ${came} after ${after} s  ${message}`,
      `渠道 ${channel}${ofKey}：${after} 秒后 ${came}  ${message}`,
    ),
  );
}
