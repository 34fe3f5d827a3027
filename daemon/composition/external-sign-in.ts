/** Signing in with accounts elsewhere: the providers that the site may turn on, and their routes. */
import type { Authentication } from '../domain/authentication.ts';
import { ExternalRegistration, type ExternalRegistrationDeps } from '../domain/external-registration.ts';
import { ExternalSignIn } from '../domain/external-sign-in.ts';
import type { SecondStep } from '../domain/second-step.ts';
import type { SessionService } from '../domain/sessions.ts';
import type { StepUp } from '../domain/step-up.ts';
import type { Route } from '../http/implement.ts';
import type { SignInPages } from '../http/present/status.ts';
import { oauthRoutes } from '../http/routes/management/oauth.ts';
import { guardedFetch } from '../integrations/guarded-fetch.ts';
import { githubProvider } from '../integrations/oauth/github.ts';
import { linuxDoProvider } from '../integrations/oauth/linuxdo.ts';
import { OidcProvider } from '../integrations/oauth/oidc.ts';
import { wechatProvider } from '../integrations/oauth/wechat.ts';
import type { AddressGuard } from '../upstream/address-guard.ts';
import type { Foundation } from './foundation.ts';

export interface ExternalSignInParts {
  readonly guard: AddressGuard;
  readonly sessions: SessionService;
  readonly secondStep: SecondStep;
  readonly stepUp: StepUp;
  readonly authentication: Authentication;
  readonly issueFirstKey: ExternalRegistrationDeps['issueFirstKey'];
}

/** Builds the routes of 3.5, what signs out elsewhere, and where browsers begin. */
export function buildExternalSignIn(
  foundation: Foundation,
  parts: ExternalSignInParts,
): { readonly routes: readonly Route[]; readonly signIns: ExternalSignIn; readonly pages: SignInPages } {
  const { config, log, clock, nowSeconds, database, bus, snapshots } = foundation;
  const { guard, sessions, secondStep, stepUp, authentication, issueFirstKey } = parts;
  const options = () => snapshots.current().options;
  const { security } = config;
  const [githubUrl, linuxDoUrl] = [bare(security.github_url), bare(security.linuxdo_url)];
  const pages = { github: `${githubUrl}/login/oauth/authorize`, linuxdo: `${linuxDoUrl}/oauth2/authorize` };
  const fetch = guardedFetch(guard);
  const registration = new ExternalRegistration({
    database,
    options,
    issueFirstKey,
    language: config.site.default_language,
    nowSeconds,
  });
  const signIns = new ExternalSignIn({
    database,
    bus,
    sessions,
    secondStep,
    setupDone: () => snapshots.current().setupDone,
    registration,
    providers: [
      githubProvider(fetch, { url: githubUrl, apiUrl: bare(security.github_api_url) }),
      new OidcProvider({ fetch, now: clock.now }),
      linuxDoProvider(fetch, linuxDoUrl),
      wechatProvider(fetch),
    ],
    options,
    nowSeconds,
    report: (cause) => log.warn({ err: cause }, 'an identity provider did not say who has come'),
  });
  return { routes: oauthRoutes({ signIns, authentication, stepUp }), signIns, pages };
}

/** An address to which a path is added. */
function bare(address: string): string {
  return address.replace(/\/+$/, '');
}
