/** Posts notices to webhooks and chat robots, through the egress guard; the secret signs and never travels (W30). */
import { createHmac } from 'node:crypto';
import {
  DeliveryFailure,
  type Destination,
  type EgressStanding,
  type RobotDialect,
  type WebNotice,
  type WebPost,
} from '../domain/notice-delivery.ts';
import type { GuardedAnswer, GuardedCall, GuardedFetch } from './guarded-fetch.ts';
import { refusedAddress } from './network-code.ts';

/** An outbound proxy that takes calls as JSON; "" when there is none. */
export interface WorkerProxy {
  readonly url: string;
  readonly key: string;
}

export interface NoticePostDeps {
  /** For targets of administrators: with the guard's exceptions. */
  readonly exempt: GuardedFetch;
  /** For targets of everybody else: without any exception. */
  readonly guarded: GuardedFetch;
  /** Rejects when users may not call the address, or what its name leads to. */
  readonly checkTarget: (url: URL) => Promise<void>;
  readonly worker: () => WorkerProxy;
  /** Unix milliseconds. */
  readonly now: () => number;
}

type WebhookTarget = Extract<Destination, { by: 'webhook' }>;
type RobotTarget = Extract<Destination, { by: 'robot' }>;

export class NoticePost implements WebPost {
  readonly #deps: NoticePostDeps;

  constructor(deps: NoticePostDeps) {
    this.#deps = deps;
  }

  async webhook(to: WebhookTarget, message: WebNotice): Promise<void> {
    const { exempt, guarded, checkTarget, worker } = this.#deps;
    const call = signedCall(to, message, Math.floor(this.#deps.now() / 1000));
    const proxy = worker();
    const isProxied = proxy.url !== '' && new URL(to.url).protocol === 'https:';
    if (isProxied && to.standing === 'guarded') await this.#ask(to.standing, () => checkTarget(new URL(to.url)));
    const answer = await this.#ask(to.standing, () => {
      if (isProxied) return exempt(proxiedCall(proxy, call));
      return to.standing === 'exempt' ? exempt(call) : guarded(call);
    });
    checkStatus(answer);
  }

  async robot(to: RobotTarget, message: WebNotice): Promise<void> {
    const answer = await this.#ask('exempt', () => this.#deps.exempt(robotCall(to, message, this.#deps.now())));
    checkStatus(answer);
    const code = robotRefusal(answer.body);
    if (code === undefined) return;
    throw new DeliveryFailure(`the robot refused the message (${code})`, tooManyMessages.has(code) ? 'later' : 'never');
  }

  async #ask<T>(standing: EgressStanding, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (cause) {
      const refused = refusedAddress(cause);
      // A name that leads inside is told as one that leads nowhere: users could else look for those of the site's network.
      if (refused !== undefined && (standing === 'exempt' || refused.judged === 'as-written')) {
        throw new DeliveryFailure('the address is not allowed', 'never', { cause });
      }
      const again = refused === undefined ? 'later' : 'never';
      throw new DeliveryFailure('the address was not reached in time', again, { cause });
    }
  }
}

/** The call of management-api.md 5.7: signature over the very bytes of the body, which carry id and time. */
function signedCall({ url, secret }: WebhookTarget, message: WebNotice, timestamp: number): SignedCall {
  const { id, type, title, content, values } = message;
  const body = JSON.stringify({ type, title, content, values, timestamp, id });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return {
    url,
    method: 'POST',
    body,
    // A receiver that took the notice must not get it again because it goes on talking.
    answer: 'status',
    headers: {
      'Content-Type': 'application/json',
      'X-Webhook-Id': id,
      'X-Webhook-Timestamp': String(timestamp),
      ...(secret === '' ? {} : { 'X-Webhook-Signature': signature }),
    },
  };
}

type SignedCall = Required<GuardedCall>;

/** The worker repeats the call; it takes the body as JSON and writes it as it was written here. */
function proxiedCall({ url, key }: WorkerProxy, call: SignedCall): GuardedCall {
  const { method, headers, body, answer } = call;
  const wrapped = JSON.stringify({ url: call.url, key, method, headers, body: JSON.parse(body) });
  return {
    url: `${url.replace(/\/+$/, '')}/`,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: wrapped,
    answer,
  };
}

function checkStatus({ status }: GuardedAnswer): void {
  if (status >= 200 && status <= 299) return;
  const mayPass = status >= 500 || status === 408 || status === 425 || status === 429;
  throw new DeliveryFailure(`the address answered ${status}`, mayPass ? 'later' : 'never');
}

/** No more than so many UTF-16 units; half an emoji at the end, which no product takes, is left out. */
function shortened(text: string, most: number): string {
  return text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
}

/** No more than so many bytes, in whole characters. */
function shortenedToBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  let end = Math.min(bytes.length, most);
  // A byte of the form 10xxxxxx goes on with the character before it.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}

/** The three letters by which Slack knows mentions of everybody and links under other names, as its own entities. */
function withoutSlackMarks(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * Names in notices are chosen by users, and must call nobody and hide no address. Feishu, which calls by `<at …>`, knows no
 * other way to write that.
 *
 * Bodies and signatures by product. Sources: the products' pages on incoming webhooks and custom bots, read 2026-11.
 */
const robots: Readonly<Record<RobotDialect, (to: RobotTarget, text: string, nowMs: number) => GuardedCall>> = {
  slack: ({ url }, text) => jsonPost(url, { text: withoutSlackMarks(text) }),
  discord: ({ url }, text) => jsonPost(url, { content: shortened(text, 2000), allowed_mentions: { parse: [] } }),
  wecom: ({ url }, text) => jsonPost(url, { msgtype: 'text', text: { content: shortenedToBytes(text, 2048) } }),
  feishu: ({ url, secret }, text, nowMs) => {
    const message = { msg_type: 'text', content: { text: text.replace(/<(?=\/?at\b)/gi, '＜') } };
    if (secret === '') return jsonPost(url, message);
    const timestamp = String(Math.floor(nowMs / 1000));
    const sign = createHmac('sha256', `${timestamp}\n${secret}`).update('').digest('base64');
    return jsonPost(url, { timestamp, sign, ...message });
  },
  dingtalk: ({ url, secret }, text, nowMs) => {
    const target = new URL(url);
    if (secret !== '') {
      const sign = createHmac('sha256', secret).update(`${nowMs}\n${secret}`).digest('base64');
      target.searchParams.set('timestamp', String(nowMs));
      target.searchParams.set('sign', sign);
    }
    return jsonPost(target.href, { msgtype: 'text', text: { content: text } });
  },
};

/**
 * What says inside a 200 that a robot has spoken too often for now: WeCom, Feishu, DingTalk's older and newer code. The
 * first two are documented; DingTalk's are as its users quote them.
 */
const tooManyMessages: ReadonlySet<number> = new Set([45_009, 11_232, 130_101, 410_100]);

/** The call that makes the robot of a chat say something. */
function robotCall(to: RobotTarget, { title, content }: WebNotice, nowMs: number): GuardedCall {
  return robots[to.dialect](to, `${title}\n${content}`, nowMs);
}

function jsonPost(url: string, message: unknown): GuardedCall {
  return { url, method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(message) };
}

/** Some products refuse inside a 200: the code they name; undefined when they took the message. */
function robotRefusal(body: string): number | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof answer !== 'object' || answer === null) return undefined;
  for (const name of ['errcode', 'code', 'StatusCode']) {
    const code: unknown = Reflect.get(answer, name);
    if (typeof code === 'number' && code !== 0) return code;
  }
  return undefined;
}
