/**
 * An upstream that runs DashScope's tasks over WebSockets on a free loopback port, by script. It is as strict as the
 * vendor: whoever sends anything before the task has started, or names another task, is told so and cut off.
 */
import type { WebSocket } from 'ws';
import { isObject, type Json, type JsonObject } from '../../daemon/relay/json.ts';
import { type OpenedSocket, type Rest, rest, type ScriptedSockets, startScriptedSockets } from './scripted-sockets.ts';

interface RunTask {
  /** The first frame. */
  readonly run: JsonObject;
  /** Texts of `continue-task`. */
  readonly texts: string[];
  /** Binary frames. */
  readonly sound: Buffer[];
  /** True once `finish-task` came. */
  finished: boolean;
}

export type TaskRequest = RunTask & OpenedSocket;

/** What the task does next: an event with its payload, sound, a pause, or an end of another kind. */
export type TaskStep =
  | { readonly event: string; readonly payload?: JsonObject; readonly header?: JsonObject }
  | { readonly sound: Buffer; readonly times?: number }
  | Rest;

export interface TaskScript {
  /** Default: the task starts. */
  readonly opening?: readonly TaskStep[];
  /** Once everything has been sent. Without an end the socket stays open. */
  readonly answer: readonly TaskStep[];
}

export type FakeTaskSocket = ScriptedSockets<TaskRequest, TaskScript>;

const started: readonly TaskStep[] = [{ event: 'task-started' }];

export function startFakeTaskSocket(): Promise<FakeTaskSocket> {
  return startScriptedSockets<RunTask, TaskScript>({ answer: [] }, (socket, script, remember) =>
    new RunningTask(socket, script).serve((run) => remember({ run, texts: [], sound: [], finished: false })),
  );
}

class RunningTask {
  readonly #socket: WebSocket;
  readonly #script: TaskScript;
  #id = '';
  #hasStarted = false;
  #request: RunTask | undefined;

  constructor(socket: WebSocket, script: TaskScript) {
    this.#socket = socket;
    this.#script = script;
  }

  serve(begin: (run: JsonObject) => RunTask): void {
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
  async #open(request: RunTask, isWhole: boolean): Promise<void> {
    await this.#play(this.#script.opening ?? started);
    if (!isWhole) return;
    request.finished = true;
    await this.#play(this.#script.answer);
  }

  #take(request: RunTask, frame: Buffer, isBinary: boolean): void {
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
      if ('sound' in step) {
        for (let time = 0; time < (step.times ?? 1); time += 1) this.#socket.send(step.sound);
      } else if ('event' in step) this.#tell(step.event, step.payload, step.header);
      else await rest(this.#socket, step);
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
