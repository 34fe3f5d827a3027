/** Routes of signing in and out, and of the own account. */
import { contract } from '../../../contract/index.ts';
import type { AccessTokenService } from '../../../domain/access-tokens.ts';
import type { Authentication } from '../../../domain/authentication.ts';
import type { NoticeTests } from '../../../domain/notice-tests.ts';
import type { OwnAccountService } from '../../../domain/own-account.ts';
import type { RegistrationService } from '../../../domain/registration.ts';
import type { SessionService, SignOutElsewhere } from '../../../domain/sessions.ts';
import type { SignInService } from '../../../domain/sign-in.ts';
import type { StepUp } from '../../../domain/step-up.ts';
import type { Catalogue } from '../../../domain/usable-models.ts';
import type { RequestFacts, SessionCookie } from '../../call.ts';
import { implement, type Route } from '../../implement.ts';
import { presentCredential, presentSelf } from '../../present/user.ts';
import { presentedBy } from '../../presented.ts';
import { enter, originOf } from './second-factor.ts';

export interface AccountDeps {
  readonly signIn: SignInService;
  readonly registration: RegistrationService;
  readonly authentication: Authentication;
  readonly sessions: SessionService;
  readonly stepUp: Pick<StepUp, 'require'>;
  readonly ownAccount: OwnAccountService;
  readonly accessTokens: AccessTokenService;
  readonly noticeTests: Pick<NoticeTests, 'own'>;
  /** Where a browser signs out at an identity provider as well; undefined when there is no such place. */
  readonly signOutAddress: (at: SignOutElsewhere) => Promise<string | undefined>;
  readonly catalogue: Catalogue;
}

export const accountRoutes = (deps: AccountDeps): Route[] => {
  const { ownAccount, accessTokens, catalogue, stepUp } = deps;
  return [
    ...signInRoutes(deps),
    implement(contract.account.get, async ({ actor }) => presentSelf(await ownAccount.get(actor), actor)),
    implement(contract.account.credential, async ({ actor }) => presentCredential(await ownAccount.get(actor), actor)),
    implement(contract.account.update, async ({ actor, input, session }) => {
      const change = {
        username: input.username ?? '',
        displayName: input.display_name ?? '',
        password: input.password ?? '',
        originalPassword: input.original_password ?? '',
      };
      // A first password has no old one to ask for, and would prove whoever sits there to be the owner.
      const isFirst = change.password !== '' && (await ownAccount.get(actor)).password === '';
      if (isFirst) await stepUp.require(actor, session.id, 'sign_in_method');
      await ownAccount.update(actor, change, session.id);
    }),
    implement(contract.account.delete, async ({ actor, session }) => {
      await ownAccount.delete(actor);
      session.clear();
    }),
    implement(contract.account.issueToken, ({ actor }) => accessTokens.issue(actor)),
    implement(contract.account.groups, ({ actor, request }) => catalogue.groups(actor.group, request.language)),
    implement(contract.account.publicGroups, ({ actor, request }) =>
      catalogue.groups(actor?.group ?? 'default', request.language),
    ),
    implement(contract.account.models, ({ actor }) => catalogue.models(actor.group)),
    implement(contract.account.saveSetting, ({ actor, input }) =>
      ownAccount.saveSetting(actor, {
        notifyType: input.notify_type,
        quotaWarningThreshold: input.quota_warning_threshold,
        webhookUrl: input.webhook_url ?? undefined,
        webhookSecret: input.webhook_secret,
        notificationEmail: input.notification_email ?? undefined,
        acceptUnsetModelRatioModel: input.accept_unset_model_ratio_model ?? undefined,
      }),
    ),
    implement(contract.account.testNotice, ({ actor, request }) => deps.noticeTests.own(actor, request)),
  ];
};

const signInRoutes = (deps: AccountDeps): Route[] => [
  implement(contract.account.login, async ({ input, request, session }) => {
    const { username: name, password } = input;
    return enter(session, await deps.signIn.byPassword({ name, password, ...originOf(request, session) }));
  }),
  implement(contract.account.register, async ({ input, request }) => {
    await deps.registration.register({
      username: input.username,
      password: input.password,
      passwordAgain: input.password2 ?? undefined,
      email: input.email ?? '',
      verificationCode: input.verification_code ?? '',
      affCode: input.aff_code ?? '',
      requestId: request.requestId,
    });
  }),
  implement(contract.account.logout, ({ request, session }) => signOut(deps, request, session)),
];

/** Ends the session of the cookie, which the user-id header must name (S12); without a live one there is nothing to end. */
async function signOut(
  deps: AccountDeps,
  request: RequestFacts,
  session: SessionCookie,
): Promise<{ data: null; logout_url?: string }> {
  const ended = await deps.authentication.sessionToEnd(presentedBy(request, session.id));
  const before = ended === undefined ? undefined : await deps.sessions.find(ended);
  if (ended !== undefined) await deps.sessions.end(ended);
  session.clear();
  const elsewhere = before && (await deps.signOutAddress(before.state.signOut));
  return elsewhere === undefined ? { data: null } : { data: null, logout_url: elsewhere };
}
