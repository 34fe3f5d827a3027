/** Routes of signing in with accounts elsewhere. */
import { contract } from '../../../contract/index.ts';
import type { Authentication } from '../../../domain/authentication.ts';
import type { ExternalSignIn, Visit } from '../../../domain/external-sign-in.ts';
import type { IdentityProviderId } from '../../../domain/identity-provider.ts';
import type { StepUp } from '../../../domain/step-up.ts';
import type { RequestFacts, SessionCookie } from '../../call.ts';
import { implement, type Route } from '../../implement.ts';
import { presentedBy } from '../../presented.ts';
import { enter } from './second-factor.ts';

export interface OauthDeps {
  readonly signIns: ExternalSignIn;
  readonly authentication: Authentication;
  readonly stepUp: Pick<StepUp, 'require'>;
}

interface Callback {
  readonly input: {
    readonly code?: string | undefined;
    readonly state?: string | undefined;
    readonly error?: string | undefined;
  };
  readonly request: RequestFacts;
  readonly session: SessionCookie;
}

export const oauthRoutes = ({ signIns, authentication, stepUp }: OauthDeps): Route[] => {
  /** Who is signed in is told by the session alone; the single-use state stands in for the user-id header. */
  const finish = async (provider: IdentityProviderId, { input, request, session }: Callback) => {
    const actor = await authentication.findBySession(presentedBy(request, session.id));
    // Before the state is used up, so that the same answer of the provider binds after the proof.
    if (actor) await stepUp.require(actor, session.id, 'sign_in_method');
    // A refusal of the provider has no code; its own words are not repeated.
    const code = input.error ? '' : (input.code ?? '');
    const answer = { code, state: input.state ?? '', actor };
    const finished = await signIns.finish(provider, answer, visitOf(request, session));
    if (finished.kind === 'bound') return { message: 'bind', data: null };
    return { message: '', data: enter(session, finished) };
  };
  return [
    implement(contract.oauth.state, async ({ input, request, session }) => {
      const wish = { affCode: input.aff ?? '', provider: input.provider ?? '' };
      const { state, challenge, openedSession } = await signIns.begin(wish, visitOf(request, session));
      if (openedSession !== undefined) session.set(openedSession);
      if (!challenge) return { data: state };
      const { codeChallenge, nonce } = challenge;
      return { data: state, code_challenge: codeChallenge, code_challenge_method: 'S256' as const, nonce };
    }),
    implement(contract.oauth.github, (call) => finish('github', call)),
    implement(contract.oauth.oidc, (call) => finish('oidc', call)),
    implement(contract.oauth.linuxdo, (call) => finish('linuxdo', call)),
    implement(contract.oauth.wechat, async ({ input, request, session }) =>
      enter(session, await signIns.byCode('wechat', input.code ?? '', visitOf(request, session))),
    ),
    implement(contract.oauth.bindWechat, ({ actor, input }) => signIns.bindByCode('wechat', input.code ?? '', actor)),
    implement(contract.oauth.telegram, async ({ input, request, session }) =>
      enter(session, await signIns.byTelegram(input, visitOf(request, session))),
    ),
    implement(contract.oauth.bindTelegram, ({ actor, input }) => signIns.bindTelegram(input, actor)),
  ];
};

function visitOf({ clientAddress, userAgent, requestId }: RequestFacts, { id }: SessionCookie): Visit {
  return { clientAddress, userAgent, requestId, sessionId: id };
}
