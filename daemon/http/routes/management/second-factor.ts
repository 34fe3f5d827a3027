/** Routes of the second factor, and how an answer to a sign-in is given. */
import type { LoginView } from '../../../contract/account.ts';
import { contract } from '../../../contract/index.ts';
import type { UsedPasskey } from '../../../contract/passkeys.ts';
import type { TwoFactorRequired } from '../../../contract/second-factor.ts';
import type { UsedPasskey as BroughtPasskey } from '../../../domain/passkey-check.ts';
import type { SecondFactors } from '../../../domain/second-factors.ts';
import type { SecondStep, SignInOutcome } from '../../../domain/second-step.ts';
import type { ShownProof, StepUp } from '../../../domain/step-up.ts';
import { TollgateError } from '../../../errors.ts';
import type { RequestFacts, SessionCookie } from '../../call.ts';
import { implement, type Route } from '../../implement.ts';
import { presentLogin } from '../../present/user.ts';

export interface SecondFactorDeps {
  readonly factors: SecondFactors;
  readonly secondStep: SecondStep;
  readonly stepUp: Pick<StepUp, 'beginPasskey' | 'prove' | 'require'>;
}

export const secondFactorRoutes = ({ factors, secondStep, stepUp }: SecondFactorDeps): Route[] => [
  implement(contract.secondFactor.beginPasskey, async ({ input, session }) => ({
    ...(await secondStep.beginPasskey(input.ticket, session.id)),
  })),
  implement(contract.secondFactor.signIn, async ({ input, request, session }) => {
    const { ticket, prove, method, code = '' } = input;
    const shown = method === 'passkey' ? { method, used: usedPasskey(input.passkey) } : { method, code };
    return enter(session, await secondStep.finish({ ticket, prove, shown }, originOf(request, session)));
  }),
  implement(contract.stepUp.beginPasskey, async ({ actor, input, session }) => ({
    ...(await stepUp.beginPasskey(actor, session.id, input.action)),
  })),
  implement(contract.stepUp.prove, async ({ actor, input, session }) => {
    const { action, method, password = '', code = '' } = input;
    const shown: ShownProof =
      method === 'passkey'
        ? { method, used: usedPasskey(input.passkey) }
        : { method, secret: method === 'password' ? password : code };
    return { expires_at: await stepUp.prove(actor, session.id, action, shown) };
  }),
  implement(contract.secondFactor.get, async ({ actor }) => {
    const { enabled, recoveryLeft } = await factors.state(actor);
    return { enabled, recovery_left: recoveryLeft };
  }),
  implement(contract.secondFactor.begin, async ({ actor }) => {
    const { secret, address } = await factors.begin(actor);
    return { secret, otpauth_url: address };
  }),
  implement(contract.secondFactor.enable, async ({ actor, input, session }) => ({
    recovery_codes: await factors.enable(actor, input.code, session.id),
  })),
  implement(contract.secondFactor.disable, ({ actor, session }) => factors.disable(actor, session.id)),
  implement(contract.secondFactor.renewRecoveryCodes, async ({ actor }) => ({
    recovery_codes: await factors.renewRecoveryCodes(actor),
  })),
  implement(contract.secondFactor.reset, async ({ actor, input, session }) => {
    if (await factors.isOfAdministrator(input.id)) await stepUp.require(actor, session.id, 'sign_in_method');
    return factors.reset(actor, input.id);
  }),
];

/** Hands the client its session. Throws `two_factor_required`, with what the second step needs. */
export function enter(session: SessionCookie, outcome: SignInOutcome): LoginView {
  if (outcome.kind === 'signed-in') {
    session.set(outcome.sessionId);
    return presentLogin(outcome.user);
  }
  if (outcome.openedSession !== undefined) session.set(outcome.openedSession);
  const data: TwoFactorRequired = { ticket: outcome.ticket, methods: [...outcome.methods] };
  throw new TollgateError('two_factor_required', {}, { data });
}

/** A passkey as browsers bring it. Throws `invalid_params` where there is none. */
function usedPasskey(brought: UsedPasskey | undefined): BroughtPasskey {
  if (brought === undefined) throw new TollgateError('invalid_params', {}, { field: 'passkey' });
  return { id: brought.id, ...brought.response };
}

/** Where a call to sign in comes from. */
export function originOf({ clientAddress, userAgent }: RequestFacts, { id }: SessionCookie) {
  return { clientAddress, userAgent, sessionId: id };
}
