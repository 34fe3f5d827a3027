/**
 * An upstream that runs DashScope's tasks over WebSockets on a free loopback port, by script. It is as strict as the
 * vendor: whoever sends anything before the task has started, or names another task, is told so and cut off.
 */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { isObject, type Json, type JsonObject } from '../../daemon/relay/json.ts';

export interface TaskRequest {
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  /** The first frame. */
  readonly run: JsonObject;
  /** Texts of `continue-task`. */
  readonly texts: string[];
  /** Binary frames. */
  readonly sound: Buffer[];
  /** True once `finish-task` came. */
  finished: boolean;
  /** Resolves when the socket is closed, by whom ever. */
  readonly closed: Promise<void>;
  /** Bytes that wait here because the other end does not read. */
  unsent(): number;
}

/** What the task does next: an event with its payload, sound, a pause, or an end of another kind. */
export type TaskStep =
  | { readonly event: string; readonly payload?: JsonObject; readonly header?: JsonObject }
  | { readonly sound: Buffer; readonly times?: number }
  | { readonly waitMs: number }
  | { readonly end: 'close' | 'break' };

export interface TaskScript {
  /** Default: the task starts. */
  readonly opening?: readonly TaskStep[];
  /** Once everything has been sent. Without an end the socket stays open. */
  readonly answer: readonly TaskStep[];
}

export interface FakeTaskSocket {
  /** `http:` address. */
  readonly url: string;
  readonly requests: TaskRequest[];
  script(next: TaskScript): void;
  /** Handshakes are refused with this status from now on; undefined: accepted again. */
  refuse(status: number | undefined, body?: Json): void;
  close(): Promise<void>;
}

const started: readonly TaskStep[] = [{ event: 'task-started' }];

export async function startFakeTaskSocket(): Promise<FakeTaskSocket> {
  const requests: TaskRequest[] = [];
  let script: TaskScript = { answer: [] };
  let refusal: { status: number; body: Json } | undefined;
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, stream, head) => {
    if (refusal === undefined) {
      sockets.handleUpgrade(request, stream, head, (socket) => {
        const url = new URL(request.url ?? '', 'ws://upstream');
        new RunningTask(socket, script).serve((run) => {
          const known = { url, headers: request.headers, run, texts: [], sound: [], finished: false };
          const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
          const made: TaskRequest = { ...known, closed, unsent: () => socket.bufferedAmount };
          requests.push(made);
          return made;
        });
      });
      return;
    }
    const text = JSON.stringify(refusal.body);
    const lines = [`HTTP/1.1 ${refusal.status} Refused`, 'content-type: application/json', 'connection: close'];
    stream.end(`${lines.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    script: (next) => {
      script = next;
    },
    refuse: (status, body = {}) => {
      refusal = status === undefined ? undefined : { status, body };
    },
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

class RunningTask {
  readonly #socket: WebSocket;
  readonly #script: TaskScript;
  #id = '';
  #hasStarted = false;
  #request: TaskRequest | undefined;

  constructor(socket: WebSocket, script: TaskScript) {
    this.#socket = socket;
    this.#script = script;
  }

  serve(begin: (run: JsonObject) => TaskRequest): void {
    this.#socket.on('error', () => undefined);
    this.#socket.on('message', (data, isBinary) => {
      const frame = Buffer.isBuffer(data) ? data : Buffer.alloc(0);
      if (this.#request === undefined) {
        const run = objectIn(frame);
        this.#id = String(objectOf(run.header).task_id);
        this.#request = begin(run);
        void this.#play(this.#script.opening ?? started);
      } else this.#take(this.#request, frame, isBinary);
    });
  }

  #take(request: TaskRequest, frame: Buffer, isBinary: boolean): void {
    if (!this.#hasStarted || request.finished) {
      this.#fail('CLIENT_ERROR', 'a frame at the wrong time');
      return;
    }
    if (isBinary) {
      request.sound.push(frame);
      return;
    }
    const { header, payload } = objectIn(frame);
    const { action, task_id: id } = objectOf(header);
    if (id !== this.#id) this.#fail('InvalidParameter', 'another task');
    else if (action === 'continue-task') request.texts.push(String(objectOf(objectOf(payload).input).text));
    else if (action === 'finish-task') {
      request.finished = true;
      void this.#play(this.#script.answer);
    }
  }

  async #play(steps: readonly TaskStep[]): Promise<void> {
    for (const step of steps) {
      if ('waitMs' in step) await new Promise((resolve) => setTimeout(resolve, step.waitMs));
      else if ('sound' in step) {
        for (let time = 0; time < (step.times ?? 1); time += 1) this.#socket.send(step.sound);
      } else if ('event' in step) this.#tell(step.event, step.payload, step.header);
      else if (step.end === 'close') this.#socket.close(1000);
      // What was sent must be on its way first.
      else setTimeout(() => this.#socket.terminate(), 50);
    }
  }

  #tell(event: string, payload: JsonObject = {}, header: JsonObject = {}): void {
    if (event === 'task-started') this.#hasStarted = true;
    this.#socket.send(JSON.stringify({ header: { task_id: this.#id, event, attributes: {}, ...header }, payload }));
  }

  #fail(code: string, message: string): void {
    this.#tell('task-failed', {}, { error_code: code, error_message: message });
    this.#socket.close(1000);
  }
}

function objectIn(frame: Buffer): JsonObject {
  const value: Json = JSON.parse(frame.toString('utf8'));
  return objectOf(value);
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
