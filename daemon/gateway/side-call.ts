/** Small calls beside the relay: model lists and balances, read as JSON within a limit of time and size. */
import { readFailureBody } from '../relay/failure-body.ts';
import { keyRemover, maskKeys } from '../relay/failure-mask.ts';
import { asObject, asWord, parseJson } from '../relay/formats/fields.ts';
import { PieceList } from '../relay/framing/piece-list.ts';
import type { Json } from '../relay/json.ts';
import type { ReplyReceiver, Transport, TransportError } from '../upstream/transport.ts';

export interface SideCall {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: Buffer | undefined;
  readonly proxy: string | undefined;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** Why a side call gave nothing; its text may name hosts: for operators only. */
export class SideCallFailed extends Error {
  /** Status of the upstream; 0 when none came. */
  readonly status: number;
  /** What came with a status that is no success, which may name accounts; empty where nothing did. */
  readonly answer: string;
  constructor(reason: string, status: number, rest: { cause?: unknown; answer?: string } = {}) {
    super(reason, rest.cause === undefined ? undefined : { cause: rest.cause });
    this.name = 'SideCallFailed';
    this.status = status;
    this.answer = rest.answer ?? '';
  }
}

const SHOWN_WORDS = 300;

/**
 * What a refusal says, without this key or any other: those who trade for tokens say more than their code in a member
 * of its own. "" for one that says nothing readable.
 */
export function refusalWords(answer: string, key = ''): string {
  const described = asWord(asObject(parseJson(answer))?.error_description);
  const words = described ?? readFailureBody(answer)?.message ?? '';
  return maskKeys(keyRemover(key)(words)).slice(0, SHOWN_WORDS);
}

/** The JSON answer of a 2xx. Throws `SideCallFailed`. */
export function callJson(transport: Transport, call: SideCall): Promise<Json> {
  return new Promise((resolve, reject) => new RunningSideCall(call, { resolve, reject }).send(transport));
}

class RunningSideCall implements ReplyReceiver {
  readonly #call: SideCall;
  readonly #settle: { resolve: (json: Json) => void; reject: (error: SideCallFailed) => void };
  readonly #pieces = new PieceList();
  #status = 0;
  #abort: () => void = () => {};

  constructor(call: SideCall, settle: { resolve: (json: Json) => void; reject: (error: SideCallFailed) => void }) {
    this.#call = call;
    this.#settle = settle;
  }

  send(transport: Transport): void {
    const { method, url, headers, body, proxy, timeoutMs } = this.#call;
    const running = transport.send(
      {
        method,
        destination: { url, proxy, egress: 'channel', connectMs: timeoutMs },
        headers,
        body,
        timeouts: { headersMs: timeoutMs, firstTokenMs: 0, idleMs: timeoutMs, totalMs: timeoutMs },
      },
      this,
    );
    this.#abort = () => running.abort();
  }

  onHead(status: number): void {
    this.#status = status;
  }

  onData(chunk: Buffer): void {
    this.#pieces.push(chunk);
    if (this.#pieces.length <= this.#call.maxBytes) return;
    this.#abort();
    this.#settle.reject(new SideCallFailed('the answer is too large', this.#status));
  }

  onEnd(): void {
    if (this.#status < 200 || this.#status > 299) {
      const answer = this.#pieces.take().toString('utf8');
      const words = refusalWords(answer);
      const reason = words === '' ? `status ${this.#status}` : `status ${this.#status}: ${words}`;
      this.#settle.reject(new SideCallFailed(reason, this.#status, { answer }));
      return;
    }
    try {
      const json: Json = JSON.parse(this.#pieces.take().toString('utf8'));
      this.#settle.resolve(json);
    } catch (cause) {
      this.#settle.reject(new SideCallFailed('the answer is no JSON', this.#status, { cause }));
    }
  }

  onError(error: TransportError): void {
    this.#settle.reject(new SideCallFailed(error.kind, this.#status, { cause: error }));
  }
}
