/** Routes of signing the command line in by way of the console. */
import type { CliSignInView } from '../../../contract/cli-sign-ins.ts';
import { contract } from '../../../contract/index.ts';
import type {
  CliGrant,
  CliSignIns,
  CliTokenWish,
  ProgramOrigin,
  WaitingProgram,
} from '../../../domain/cli-sign-ins.ts';
import type { RequestFacts } from '../../call.ts';
import { implement, type Route } from '../../implement.ts';
import { presentFreshMachineToken } from '../../present/machine-tokens.ts';

export const cliSignInRoutes = (signIns: CliSignIns): Route[] => [
  implement(contract.cliSignIns.begin, async ({ input, request }) => {
    const begun = await signIns.begin(wishOf(input), originOf(request));
    return {
      device_code: begun.deviceCode,
      user_code: begun.userCode,
      verification_uri: begun.verificationUri,
      expires_in: begun.expiresInSeconds,
      interval: begun.intervalSeconds,
    };
  }),
  implement(contract.cliSignIns.find, async ({ actor, input }) => present(await signIns.find(actor, input.user_code))),
  implement(contract.cliSignIns.approve, ({ actor, input }) => signIns.approve(actor, input.user_code)),
  implement(contract.cliSignIns.deny, ({ actor, input }) => signIns.deny(actor, input.user_code)),
  implement(contract.cliSignIns.authorize, async ({ actor, input }) => {
    const { code, expiresInSeconds } = await signIns.authorize(actor, wishOf(input), input.challenge);
    return { code, expires_in: expiresInSeconds };
  }),
  implement(contract.cliSignIns.token, async ({ input, request }) =>
    presentFreshMachineToken(await signIns.exchange(grantOf(input), originOf(request))),
  ),
];

function present({ signIn, scopes, isSameAddress }: WaitingProgram): CliSignInView {
  return {
    name: signIn.name,
    scopes: [...scopes],
    expires_at: signIn.tokenExpiresAt,
    created_at: signIn.createdAt,
    valid_until: signIn.expiresAt,
    ip: signIn.ip,
    same_address: isSameAddress,
    user_agent: signIn.userAgent,
  };
}

function wishOf(input: { name: string; scopes: CliTokenWish['scopes']; expires_at: number }): CliTokenWish {
  return { name: input.name, scopes: input.scopes, expiresAt: input.expires_at };
}

function grantOf({
  grant,
  code,
  verifier = '',
}: {
  grant: CliGrant['kind'];
  code: string;
  verifier?: string | undefined;
}): CliGrant {
  return grant === 'device_code' ? { kind: grant, code } : { kind: grant, code, verifier };
}

function originOf({ clientAddress: ip, userAgent, requestId }: RequestFacts): ProgramOrigin {
  return { ip, userAgent, requestId };
}
