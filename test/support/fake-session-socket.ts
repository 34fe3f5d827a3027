/**
 * An upstream that holds DashScope's sessions over WebSockets on a free loopback port, by script. It is as strict as
 * the vendor: whoever says anything before the session is set up, says an id twice, or sends bytes, is told so.
 */
import type { WebSocket } from 'ws';
import { isObject, type Json, type JsonObject } from '../../daemon/relay/json.ts';
import { type OpenedSocket, type Rest, rest, type ScriptedSockets, startScriptedSockets } from './scripted-sockets.ts';

interface HeldSession {
  /** The `session` of the first event. */
  readonly session: Json;
  /** Events after the first, without their ids. */
  readonly events: JsonObject[];
  /** True once `session.finish` came. */
  finished: boolean;
}

export type SessionRequest = HeldSession & OpenedSocket;

/** What the session does next: an event, several times where so told, a pause, or an end of another kind. */
export type SessionStep =
  | { readonly type: string; readonly times?: number; readonly [member: string]: Json | undefined }
  | Rest;

export interface SessionScript {
  /** Once the session was updated. Default: that it was. */
  readonly opening?: readonly SessionStep[];
  /** Once everything has been said. Without an end the socket stays open. */
  readonly answer: readonly SessionStep[];
}

export type FakeSessionSocket = ScriptedSockets<SessionRequest, SessionScript>;

export function startFakeSessionSocket(): Promise<FakeSessionSocket> {
  return startScriptedSockets<HeldSession, SessionScript>({ answer: [] }, (socket, script, remember) =>
    new RunningSession(socket, script).serve((session) => remember({ session, events: [], finished: false })),
  );
}

class RunningSession {
  readonly #socket: WebSocket;
  readonly #script: SessionScript;
  readonly #ids = new Set<Json | undefined>();
  #isSetUp = false;
  #request: HeldSession | undefined;

  constructor(socket: WebSocket, script: SessionScript) {
    this.#socket = socket;
    this.#script = script;
  }

  serve(begin: (session: Json) => HeldSession): void {
    this.#tell({ type: 'session.created', session: { id: 'sess_1', object: 'realtime.session' } });
    this.#socket.on('message', (data, isBinary) => {
      const event: Json = isBinary ? {} : JSON.parse(data.toString());
      const { event_id: id, ...members } = isObject(event) ? event : {};
      const isKnown = this.#ids.has(id);
      this.#ids.add(id);
      if (id === undefined || isKnown) this.#fail('an event without an id of its own');
      else if (members.type === 'session.update' && this.#request === undefined) {
        this.#request = begin(members.session ?? null);
        void this.#play(this.#script.opening ?? [{ type: 'session.updated', session: {} }]);
      } else if (this.#request === undefined) this.#fail('an event before the first');
      else this.#take(this.#request, members);
    });
  }

  #take(request: HeldSession, event: JsonObject): void {
    if (!this.#isSetUp || request.finished) this.#fail('an event at the wrong time');
    else if (event.type === 'session.finish') {
      request.finished = true;
      void this.#play(this.#script.answer);
    } else request.events.push(event);
  }

  async #play(steps: readonly SessionStep[]): Promise<void> {
    for (const step of steps) {
      if ('type' in step) {
        const { times = 1, ...event } = step;
        for (let time = 0; time < times; time += 1) this.#tell(event);
      } else await rest(this.#socket, step);
    }
  }

  #tell(event: Readonly<Record<string, Json | undefined>>): void {
    if (event.type === 'session.updated') this.#isSetUp = true;
    this.#socket.send(JSON.stringify({ event_id: 'event_of_the_vendor', ...event }));
  }

  #fail(message: string): void {
    this.#tell({ type: 'error', error: { type: 'invalid_request_error', code: 'invalid_value', message } });
    this.#socket.close(1000);
  }
}
