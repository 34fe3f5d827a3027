/**
 * Sends a platform's requests with a channel's key, under the channel's own deadlines, headers and override (relay.md 12.5
 * to 12.7), and reads whole answers, whatever their status.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { TollgateError } from '../../errors.ts';
import { PieceList } from '../../relay/framing/piece-list.ts';
import { headerChange, overriddenHeaders, passedHeaders } from '../../relay/header-rules.ts';
import type { Json, JsonObject } from '../../relay/json.ts';
import type { OverrideFacts } from '../../relay/param-override.ts';
import type { OverrideRefusal } from '../../relay/param-override-rules.ts';
import type { ProviderAdapter, UpstreamCall } from '../../relay/provider.ts';
import type { ChannelKeyView, ChannelView } from '../../snapshots/channel-view.ts';
import type { Snapshot } from '../../snapshots/snapshots.ts';
import type { Credentials } from '../../upstream/auth/index.ts';
import {
  type CallTimeouts,
  type ReplyHeaders,
  type ReplyReceiver,
  type Transport,
  TransportError,
} from '../../upstream/transport.ts';
import { overrideOf } from '../call-template.ts';
import { overgrown } from '../overridden.ts';
import { passesThrough } from '../pass-through.ts';
import {
  addressOf,
  baseAddressOf,
  connectMsOf,
  headersOf,
  proxyOf,
  timeoutsOf,
  type UpstreamTimeouts,
  withChanges,
} from '../upstream-request.ts';

/** How this installation asks upstreams of tasks. */
export interface TaskUpstreams {
  readonly transport: Transport;
  readonly credentials: Credentials;
  readonly timeouts: UpstreamTimeouts;
  /** Product version, for the `User-Agent`. */
  readonly version: string;
  /** An override may make no more of a body. */
  readonly maxBodyBytes: number;
}

export interface TaskRequest {
  readonly method: 'GET' | 'POST';
  /** Of the platform, as its adapter makes an address of it. */
  readonly operation: string;
  readonly body: JsonObject | undefined;
  /** The longest wait, unless the channel has deadlines of its own. */
  readonly timeoutMs: number;
  /** `always`: other work waits for the answer, and no channel may hold it up for longer. */
  readonly timeoutHolds?: 'always';
}

export interface TaskReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly body: Buffer;
}

/** An answer that broke off, or never came. */
export interface BrokenReply {
  readonly error: TransportError;
  readonly where: 'before-head' | 'in-body';
}

/** The answer that an operator wrote into an override. */
export interface OverriddenReply {
  readonly refusal: OverrideRefusal;
}

/** Where a request goes: a vendor's channel, and the key that opens it. */
export interface TaskTarget {
  readonly adapter: ProviderAdapter;
  readonly channel: Pick<ChannelView, 'record' | 'setting' | 'paramOverride'>;
  readonly key: Pick<ChannelKeyView, 'secret'>;
  readonly call: UpstreamCall;
  readonly asker: TaskAsker;
}

/** On whose behalf an upstream is asked. */
export interface TaskAsker {
  readonly view: Snapshot;
  /** Headers of the client; empty where none waits. */
  readonly client: IncomingHttpHeaders;
  /** What conditions of an override may read beside the body. */
  readonly facts: OverrideFacts;
}

const MAX_REPLY_BYTES = 16 * 1024 * 1024;

/** The call as the vendor's adapter wants to know it. */
export function taskCall(
  adapter: ProviderAdapter,
  channel: Pick<ChannelView, 'record' | 'setting'>,
  asked: { readonly format: UpstreamCall['format']; readonly model: string },
): UpstreamCall {
  const { baseUrl, other, openaiOrganization } = channel.record;
  return {
    ...asked,
    capability: 'tasks',
    stream: false,
    baseUrl: baseAddressOf(adapter, baseUrl),
    other: other ?? '',
    organization: openaiOrganization || undefined,
    setting: channel.setting,
    settings: {},
    options: {},
  };
}

/**
 * The answer, how it broke, or what the channel's override says in its place. Throws `channel:header_override_invalid`
 * and `channel:param_override_invalid`.
 */
export async function askUpstream(
  upstreams: TaskUpstreams,
  target: TaskTarget,
  request: TaskRequest,
): Promise<TaskReply | BrokenReply | OverriddenReply> {
  const { adapter, channel, key, call, asker } = target;
  const { method, operation } = request;
  const made = overriddenRequest(upstreams, target, request.body);
  if ('refusal' in made) return made;
  const { body } = made;
  const plain = headersOf(adapter, call, upstreams.version);
  const headers = body === undefined ? withChanges(plain, [['content-type', undefined]]) : plain;
  const proxy = proxyOf(channel.setting);
  const draft = { method, url: addressOf(adapter, { ...call, operation }), headers, body, proxy };
  const signed = await upstreams.credentials.apply(draft, adapter.auth(call), key.secret);
  const { pass_headers, header_override } = channel.setting;
  const sources = { apiKey: () => key.secret, client: asker.client };
  const changes = [
    ...passedHeaders(asker.client, call.format, pass_headers),
    ...made.headers.map(([name, value]) => headerChange(name, value, sources)),
    ...overriddenHeaders(header_override, sources),
  ];
  return new Promise((resolve) => {
    const receiver = new ReplyReading(resolve);
    const connectMs = connectMsOf(upstreams.timeouts, channel.setting);
    const running = upstreams.transport.send(
      {
        method,
        destination: { url: signed.url, proxy, egress: 'channel', connectMs },
        headers: changes.length === 0 ? signed.headers : withChanges(signed.headers, changes),
        body,
        timeouts: deadlinesOf(upstreams.timeouts, target, request),
      },
      receiver,
    );
    receiver.abort = () => running.abort();
  });
}

/** The body as it is sent, and the headers that the channel's override sets or, with null, takes away. */
function overriddenRequest(
  { maxBodyBytes }: TaskUpstreams,
  { channel, asker }: TaskTarget,
  json: JsonObject | undefined,
):
  | { readonly body: Buffer | undefined; readonly headers: readonly (readonly [name: string, value: Json])[] }
  | OverriddenReply {
  const override = passesThrough(asker, channel.setting) ? undefined : overrideOf(channel);
  if (override === 'invalid') throw new TollgateError('channel:param_override_invalid');
  const made = override?.apply(json ?? {}, asker.facts) ?? { kind: 'body', body: json, headers: [] };
  if (made.kind === 'refused') return { refusal: made.refusal };
  const body = json === undefined ? undefined : Buffer.from(JSON.stringify(made.body));
  if (overgrown({ override }, body, maxBodyBytes)) throw new TollgateError('channel:param_override_invalid');
  return { body, headers: made.headers };
}

/** The channel's deadlines; where it says nothing of how long it may take, the request's own ends it. */
function deadlinesOf(
  defaults: UpstreamTimeouts,
  { channel: { setting }, call }: TaskTarget,
  { timeoutMs, timeoutHolds }: TaskRequest,
): CallTimeouts {
  const deadlines = timeoutsOf({ ...defaults, headersMs: timeoutMs, idleMs: timeoutMs }, setting, call);
  const isOwn = setting.timeout_first_byte !== undefined || setting.timeout_idle !== undefined;
  return isOwn && timeoutHolds === undefined ? deadlines : { ...deadlines, totalMs: timeoutMs };
}

class ReplyReading implements ReplyReceiver {
  abort: () => void = () => {};
  readonly #resolve: (reply: TaskReply | BrokenReply) => void;
  readonly #pieces = new PieceList();
  #status = 0;
  #headers: ReplyHeaders = {};

  constructor(resolve: (reply: TaskReply | BrokenReply) => void) {
    this.#resolve = resolve;
  }

  onHead(status: number, headers: ReplyHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onData(chunk: Buffer): void {
    this.#pieces.push(chunk);
    if (this.#pieces.length <= MAX_REPLY_BYTES) return;
    this.abort();
    this.onError(new TransportError('undecodable', true, new Error('the answer is too large')));
  }

  onEnd(): void {
    this.#resolve({ status: this.#status, headers: this.#headers, body: this.#pieces.take() });
  }

  onError(error: TransportError): void {
    this.#resolve({ error, where: this.#status === 0 ? 'before-head' : 'in-body' });
  }
}
