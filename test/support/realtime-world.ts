/** A gateway with one channel for realtime sessions, the ends that its vendor gets of them, and clients to hold them. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Test } from 'uvu';
import { WebSocket } from 'ws';
import { asObject, parseJson } from '../../daemon/relay/formats/fields.ts';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { GatewayHarness } from './gateway-harness.ts';
import { type SocketServer, startSocketServer } from './socket-server.ts';
import { until, untilThere } from './until.ts';

/** The vendor's end of a session. */
export interface RealtimeUpstream {
  readonly request: IncomingMessage;
  readonly socket: WebSocket;
  readonly heard: JsonObject[];
  say(...events: JsonObject[]): void;
  /** Reads nothing more. */
  rest(): void;
  close(): void;
}

export interface RealtimeClient {
  readonly socket: WebSocket;
  readonly heard: JsonObject[];
  say(event: JsonObject): void;
}

export interface RealtimeWorld {
  harness: GatewayHarness;
  server: SocketServer;
  upstreams: RealtimeUpstream[];
  clients: WebSocket[];
}

export interface RealtimeChannel {
  readonly type: number;
  readonly models: readonly string[];
  readonly key: string;
  /** What the address has behind its host. Default: nothing. */
  readonly path?: string;
}

/** Sound costs twice what text does. */
async function startRealtimeWorld(
  world: RealtimeWorld,
  { type, models, key, path = '' }: RealtimeChannel,
): Promise<void> {
  world.upstreams = [];
  world.clients = [];
  world.server = await startSocketServer((socket, request) => {
    const heard: JsonObject[] = [];
    socket.on('message', (data) => heard.push(asObject(parseJson(data.toString())) ?? { text: data.toString() }));
    const say = (...events: JsonObject[]) => {
      for (const event of events) socket.send(JSON.stringify(event));
    };
    world.upstreams.push({ request, socket, heard, say, rest: () => socket.pause(), close: () => socket.close(1000) });
  });
  const each = (ratio: number) => Object.fromEntries(models.map((model) => [model, ratio]));
  world.harness = await GatewayHarness.start({
    channels: [{ id: 1, type, baseUrl: world.server.url + path, models: models.join(','), keys: [key] }],
    options: { ModelRatio: each(1), CompletionRatio: each(1), AudioRatio: each(2), AudioCompletionRatio: each(1) },
  });
}

async function stopRealtimeWorld({ harness, server, clients }: RealtimeWorld): Promise<void> {
  for (const client of clients) client.terminate();
  await harness.stop();
  await server.close();
}

/** Each test of the suite has a world of its own. */
export function eachInRealtimeWorld(test: Test<RealtimeWorld>, channel: RealtimeChannel): void {
  test.before.each((world) => startRealtimeWorld(world, channel));
  test.after.each(stopRealtimeWorld);
}

/** Both ends of a session. */
export interface RealtimeEnds {
  readonly client: RealtimeClient;
  readonly upstream: RealtimeUpstream;
}

export async function openSession(
  { harness, clients, upstreams }: RealtimeWorld,
  model: string,
  headers: Record<string, string> = {},
): Promise<RealtimeEnds> {
  const url = `${harness.url.replace('http', 'ws')}/v1/realtime?model=${model}`;
  const authorization = `Bearer sk-${harness.key}`;
  const socket = new WebSocket(url, ['realtime'], { headers: { authorization, ...headers } });
  clients.push(socket);
  const heard: JsonObject[] = [];
  socket.on('message', (data) => heard.push(JSON.parse(data.toString())));
  await once(socket, 'open');
  // The upgrade is accepted only when the vendor's end is open.
  const upstream = upstreams.at(-1);
  if (upstream === undefined) throw new Error('no upstream');
  return { client: { socket, heard, say: (event) => socket.send(JSON.stringify(event)) }, upstream };
}

/** What a client is told whose upgrade is refused. */
export async function refusedSession({ harness, clients }: RealtimeWorld, model: string) {
  const headers = { authorization: `Bearer sk-${harness.key}` };
  const socket = new WebSocket(`${harness.url.replace('http', 'ws')}/v1/realtime?model=${model}`, { headers });
  clients.push(socket);
  socket.on('error', () => undefined);
  const [, answer] = await once(socket, 'unexpected-response');
  let body = '';
  for await (const chunk of answer) body += chunk;
  return { status: answer.statusCode, code: JSON.parse(body).error.code, wait: answer.headers['retry-after'] };
}

/** What is said next, once so much has been heard before it. */
export async function next(heard: readonly JsonObject[], count: number): Promise<JsonObject> {
  await until(() => heard.length > count);
  return heard[count] ?? {};
}

/** Ends the session from the client's side, and waits for its row. */
export async function hangUp({ harness }: RealtimeWorld, { socket }: RealtimeClient) {
  socket.close();
  await until(() => socket.readyState === WebSocket.CLOSED);
  return untilThere(async () => (await harness.rows())[0]);
}
