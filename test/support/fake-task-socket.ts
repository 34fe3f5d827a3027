/**
 * An upstream that runs DashScope's tasks over WebSockets on a free loopback port, by script. It is as strict as the
 * vendor: whoever sends anything before the task has started, or names another task, is told so and cut off.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { WebSocket } from 'ws';
import { isObject, type Json, type JsonObject } from '../../daemon/relay/json.ts';
import { closingOf, type SocketServer, startSocketServer } from './socket-server.ts';

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

export interface FakeTaskSocket extends SocketServer {
  readonly requests: TaskRequest[];
  script(next: TaskScript): void;
}

const started: readonly TaskStep[] = [{ event: 'task-started' }];

export async function startFakeTaskSocket(): Promise<FakeTaskSocket> {
  const requests: TaskRequest[] = [];
  let script: TaskScript = { answer: [] };
  const server = await startSocketServer((socket, { url = '', headers }) => {
    new RunningTask(socket, script).serve((run) => {
      const known = { url: new URL(url, 'ws://upstream'), headers, run, texts: [], sound: [], finished: false };
      const made: TaskRequest = { ...known, closed: closingOf(socket), unsent: () => socket.bufferedAmount };
      requests.push(made);
      return made;
    });
  });
  return {
    ...server,
    requests,
    script: (next) => {
      script = next;
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
        void this.#open(this.#request, objectOf(run.header).streaming === 'out');
      } else this.#take(this.#request, frame, isBinary);
    });
  }

  /** @param isWhole the first frame was all that is said */
  async #open(request: TaskRequest, isWhole: boolean): Promise<void> {
    await this.#play(this.#script.opening ?? started);
    if (!isWhole) return;
    request.finished = true;
    await this.#play(this.#script.answer);
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
