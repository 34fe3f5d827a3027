/** Upgrades to realtime sockets: what is not for the relay is refused, everything else is the gateway's (relay.md 5.13). */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Endpoint } from '../../gateway/exchange.ts';
import type { FramePeer } from '../../gateway/frame-socket.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import type { RequestIds } from '../../gateway/request-id.ts';
import { clientAddressOf, type TrustedProxies } from '../middleware/client-address.ts';
import { UpgradeSink } from '../upgrade-sink.ts';
import { pathOf } from './relay-paths.ts';

export interface RealtimeRouteDeps {
  readonly gateway: Pick<Gateway, 'realtime'>;
  readonly trustedProxies: TrustedProxies;
  readonly ids: RequestIds;
}

/** What `http.Server` calls for an upgrade. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

const MAX_FRAME_BYTES = 16 * 1024 * 1024;
const PROTOCOL = 'realtime';
/** Its vendor serves it on sockets too, which Codex tries first: it goes on without them at once on 426 alone. */
const RESPONSES = '/v1/responses';
/** Browsers have no headers to put a key in. */
const KEY_PROTOCOL = 'openai-insecure-api-key.';

const realtimeEndpoint: Endpoint = {
  surface: 'openai',
  capability: 'realtime',
  format: 'openai-realtime',
  retryClass: 'A',
  rateLimited: true,
};

/** A listener for upgrades. */
export function createUpgradeListener(deps: RealtimeRouteDeps): UpgradeListener {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    // One frame a turn of the event loop: others are not kept waiting for all that a client sends at once.
    allowSynchronousEvents: false,
    handleProtocols: (offered) => (offered.has(PROTOCOL) ? PROTOCOL : false),
  });
  return (request, socket, head) => {
    // A connection that breaks must not end the process.
    socket.on('error', () => socket.destroy());
    const id = deps.ids.next();
    const sink = new UpgradeSink(socket, ['X-Request-Id', id, 'X-Oneapi-Request-Id', id]);
    const target = request.url ?? '';
    const path = pathOf(target)?.replace(/^\/hf(?=\/v1\/)/, '');
    const { method = '' } = request;
    if (path !== '/v1/realtime' || method !== 'GET') {
      const isResponses = path === RESPONSES;
      const error = {
        message: `Invalid URL (${method} ${path ?? ''})`,
        type: 'invalid_request_error',
        param: '',
        code: isResponses ? 'method_not_allowed' : '',
      };
      if (isResponses) {
        sink.setHeader('Allow', 'POST');
        // What RFC 9110 15.5.22 has a 426 name: the protocol to ask in.
        sink.setHeader('Upgrade', 'HTTP/1.1');
      }
      sink.answer(isResponses ? 426 : 404, 'application/json', JSON.stringify({ error }));
      return;
    }
    const query = new URLSearchParams(target.slice(target.indexOf('?') + 1));
    void deps.gateway.realtime(
      {
        id,
        endpoint: realtimeEndpoint,
        request: {
          method: 'GET',
          path,
          headers: withKey(request.headers),
          queryKey: undefined,
          body: request,
          clientAddress: clientAddressOf(request, deps.trustedProxies),
          pathModel: query.get('model') ?? undefined,
        },
        sink,
      },
      () => upgraded(server, { request, socket, head, sink }),
    );
  };
}

/** The keys among the subprotocols, as the header that they stand for. */
function withKey(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((entry) => entry.trim());
  const keys = offered.filter((entry) => entry.startsWith(KEY_PROTOCOL));
  if (keys.length === 0) return headers;
  // Beside a header or another of them, each is one key more, and has to be the same.
  const shown = headers.authorization === undefined ? [] : [headers.authorization];
  const bearers = keys.map((entry) => `Bearer ${entry.slice(KEY_PROTOCOL.length)}`);
  return { ...headers, authorization: [...shown, ...bearers].join(', ') };
}

function upgraded(
  server: WebSocketServer,
  call: { request: IncomingMessage; socket: Duplex; head: Buffer; sink: UpgradeSink },
): Promise<FramePeer | undefined> {
  const { request, socket, head, sink } = call;
  if (sink.gone) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    socket.once('close', () => resolve(undefined));
    const sayMore = (headers: string[]) => headers.push(...sink.lines);
    server.once('headers', sayMore);
    if (socket instanceof Socket) socket.setNoDelay(true);
    server.handleUpgrade(request, socket, head, (opened) => {
      sink.upgraded();
      // Frames that come before anybody listens would be lost.
      opened.pause();
      opened.on('error', () => undefined);
      // The server stops reading a connection while it has frames to hand on.
      resolve({ socket: opened, connection: { isBehind: () => socket.isPaused(), isBroken: () => socket.destroyed } });
    });
    // An upgrade that is none says nothing, and must not leave its words to the next.
    server.off('headers', sayMore);
  });
}
