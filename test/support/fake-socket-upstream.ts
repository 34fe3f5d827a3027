/** An upstream that answers over WebSockets on a free loopback port: each connection is one question, answered by script. */
import type { Json } from '../../daemon/relay/json.ts';
import { type OpenedSocket, type ScriptedSockets, startScriptedSockets } from './scripted-sockets.ts';

interface AskedFrame {
  readonly frame: Json;
}

export type SocketRequest = AskedFrame & OpenedSocket;

export interface SocketAnswer {
  readonly frames: readonly Json[];
  /** After the last frame; default `close`. */
  readonly end?: 'close' | 'break' | 'hang';
}

export type FakeSocketUpstream = ScriptedSockets<SocketRequest, SocketAnswer>;

export function startFakeSocketUpstream(): Promise<FakeSocketUpstream> {
  return startScriptedSockets<AskedFrame, SocketAnswer>({ frames: [] }, (socket, answer, remember) => {
    socket.once('message', (data) => {
      remember({ frame: JSON.parse(data.toString()) });
      for (const told of answer.frames) socket.send(JSON.stringify(told));
      if (answer.end === 'break') setTimeout(() => socket.terminate(), 20);
      else if (answer.end !== 'hang') socket.close(1000);
    });
  });
}
