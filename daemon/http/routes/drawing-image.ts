/** The door to pictures (relay.md 8.7): shown to whoever knows their id, and where that can be guessed, to their owner. */
import type { IncomingMessage } from 'node:http';
import type { ApiLimits } from '../../domain/api-limits.ts';
import type { Authentication } from '../../domain/authentication.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import type { RequestIds } from '../../gateway/request-id.ts';
import type { RelayListener } from '../app.ts';
import { clientAddressOf, type TrustedProxies } from '../middleware/client-address.ts';
import { presentedIn } from '../presented.ts';
import type { SessionSigner } from '../session-cookie.ts';
import { ResponseSink } from '../sink.ts';
import { TurnEnd } from '../turn-end.ts';
import { pathOf } from './relay-paths.ts';
import { drawingEndpoint, pictureIdOf } from './task-paths.ts';

export interface DrawingImageDeps {
  readonly gateway: Pick<Gateway, 'drawingImage'>;
  readonly limits: Pick<ApiLimits, 'admitPicture'>;
  readonly authentication: Pick<Authentication, 'findOptional'>;
  readonly signer: SessionSigner;
  readonly trustedProxies: TrustedProxies;
  readonly ids: RequestIds;
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** A listener that answers the paths of pictures and says false to all others. */
export function createDrawingImageListener(deps: DrawingImageDeps): RelayListener {
  const turnEnd = new TurnEnd();
  return (request, response) => {
    const path = pathOf(request.url ?? '');
    const id = path === undefined || !READS.has(request.method ?? '') ? undefined : pictureIdOf(path);
    if (path === undefined || id === undefined) return false;
    request.resume();
    const requestId = deps.ids.next();
    const clientAddress = clientAddressOf(request, deps.trustedProxies);
    void deps.gateway.drawingImage(
      {
        id: requestId,
        endpoint: { ...drawingEndpoint, rateLimited: false },
        request: {
          method: 'GET',
          path,
          headers: request.headers,
          queryKey: undefined,
          body: request,
          clientAddress,
          pathModel: undefined,
        },
        sink: new ResponseSink(response, turnEnd, [
          'X-Request-Id',
          requestId,
          'X-Oneapi-Request-Id',
          requestId,
          'Access-Control-Allow-Origin',
          '*',
        ]),
      },
      {
        id,
        admitted: () => deps.limits.admitPicture(clientAddress),
        owner: () => visitor(deps, request, clientAddress),
      },
    );
    return true;
  };
}

/** Pictures are asked for by pages, which send a cookie and no header of ours. Nobody where that is not enough. */
async function visitor(
  deps: DrawingImageDeps,
  request: IncomingMessage,
  clientAddress: string,
): Promise<number | undefined> {
  const presented = presentedIn(request, { clientAddress, signer: deps.signer });
  const actor = await deps.authentication.findOptional({ ...presented, authorization: undefined });
  return actor?.userId;
}
