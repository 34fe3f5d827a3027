/** Sends a platform's requests with a channel's key and reads whole answers, whatever their status. */
import { PieceList } from '../../relay/framing/piece-list.ts';
import { type HeaderChange, overriddenHeaders } from '../../relay/header-rules.ts';
import type { JsonObject } from '../../relay/json.ts';
import type { ProviderAdapter, UpstreamCall } from '../../relay/provider.ts';
import type { ChannelKeyView, ChannelView } from '../../snapshots/channel-view.ts';
import type { Credentials } from '../../upstream/auth/index.ts';
import { type ReplyHeaders, type ReplyReceiver, type Transport, TransportError } from '../../upstream/transport.ts';
import { addressOf, baseAddressOf, proxyOf, withChanges } from '../upstream-request.ts';

export interface TaskRequest {
  readonly method: 'GET' | 'POST';
  /** Of the platform, as its adapter makes an address of it. */
  readonly operation: string;
  readonly body: JsonObject | undefined;
  readonly timeoutMs: number;
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

/** Where a request goes: a vendor's channel, and the key that opens it. */
export interface TaskTarget {
  readonly adapter: ProviderAdapter;
  readonly channel: Pick<ChannelView, 'record' | 'setting'>;
  readonly key: Pick<ChannelKeyView, 'secret'>;
  readonly call: UpstreamCall;
}

const MAX_REPLY_BYTES = 16 * 1024 * 1024;
const CONNECT_MS = 10_000;

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
    organization: openaiOrganization ?? undefined,
    setting: channel.setting,
    settings: {},
    options: {},
  };
}

/** The answer, or how it broke. Throws `channel:header_override_invalid`. */
export async function askUpstream(
  deps: { readonly transport: Transport; readonly credentials: Credentials },
  target: TaskTarget,
  request: TaskRequest,
): Promise<TaskReply | BrokenReply> {
  const { adapter, channel, key, call } = target;
  const { method, operation, timeoutMs } = request;
  const body = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body));
  const headers = ['accept', 'application/json', 'accept-encoding', 'gzip, br'];
  if (body !== undefined) headers.push('content-type', 'application/json');
  const draft = { method, url: addressOf(adapter, { ...call, operation }), headers, body };
  const signed = await deps.credentials.apply(draft, adapter.auth(call), key.secret);
  const own: HeaderChange[] = overriddenHeaders(channel.setting.header_override, {
    apiKey: () => key.secret,
    client: {},
  });
  return new Promise((resolve) => {
    const receiver = new ReplyReading(resolve);
    const running = deps.transport.send(
      {
        method,
        destination: { url: signed.url, proxy: proxyOf(channel.setting), egress: 'channel', connectMs: CONNECT_MS },
        headers: own.length === 0 ? signed.headers : withChanges(signed.headers, own),
        body,
        timeouts: { headersMs: timeoutMs, firstTokenMs: 0, idleMs: timeoutMs, totalMs: timeoutMs },
      },
      receiver,
    );
    receiver.abort = () => running.abort();
  });
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
