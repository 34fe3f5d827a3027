/**
 * The playground's door (relay.md 10.1): a relay call whose caller is a signed-in console user. Unlike the relay's own
 * paths it is not for pages of other origins.
 */
import type { IncomingMessage } from 'node:http';
import { roles } from '../../contract/roles.ts';
import type { Actor } from '../../domain/actor.ts';
import type { Authentication } from '../../domain/authentication.ts';
import type { Endpoint } from '../../gateway/exchange.ts';
import { errorBody } from '../../gateway/failure-answer.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import type { RequestIds } from '../../gateway/request-id.ts';
import type { RelayListener } from '../app.ts';
import { clientAddressOf, type TrustedProxies } from '../middleware/client-address.ts';
import { presentedIn } from '../presented.ts';
import type { SessionSigner } from '../session-cookie.ts';
import { ResponseSink } from '../sink.ts';
import { TurnEnd } from '../turn-end.ts';
import { pathOf } from './relay-paths.ts';

export interface PlaygroundDeps {
  readonly gateway: Pick<Gateway, 'handle'>;
  readonly authentication: Pick<Authentication, 'require'>;
  readonly signer: SessionSigner;
  readonly trustedProxies: TrustedProxies;
  readonly ids: RequestIds;
}

const path = '/pg/chat/completions';
const endpoint: Endpoint = {
  surface: 'openai',
  capability: 'chat',
  format: 'openai-chat',
  retryClass: 'A',
  rateLimited: true,
};

/** A listener that answers the playground and says false to all other paths. */
export function createPlaygroundListener(deps: PlaygroundDeps): RelayListener {
  const turnEnd = new TurnEnd();
  return (request, response) => {
    if (pathOf(request.url ?? '') !== path) return false;
    const id = deps.ids.next();
    const sink = new ResponseSink(response, turnEnd, ['X-Request-Id', id, 'X-Oneapi-Request-Id', id]);
    if (request.method !== 'POST') {
      request.resume();
      sink.setHeader('Allow', 'POST');
      sink.answer(405, 'application/json', wrongMethod(request.method ?? '', id));
      return true;
    }
    const clientAddress = clientAddressOf(request, deps.trustedProxies);
    const { headers } = request;
    void deps.gateway.handle({
      id,
      endpoint,
      request: {
        method: 'POST',
        path,
        headers,
        queryKey: undefined,
        body: request,
        clientAddress,
        pathModel: undefined,
      },
      sink,
      signIn: () => signIn(deps, request, clientAddress),
    });
    return true;
  };
}

function wrongMethod(method: string, id: string): string {
  const message = `Invalid URL (${method} ${path})`;
  const shown = { status: 405, type: 'invalid_request_error', code: 'method_not_allowed', message, param: '' };
  return errorBody('openai', { ...shown, retryAfterSeconds: undefined }, id);
}

/** Session and user-id header, judged as on every management call (management-api.md 2.4). */
function signIn(deps: PlaygroundDeps, request: IncomingMessage, clientAddress: string): Promise<Actor> {
  const presented = presentedIn(request, { clientAddress, signer: deps.signer });
  return deps.authentication.require(presented, roles.user);
}
