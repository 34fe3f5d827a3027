/** Who calls the management API: sessions, access tokens and machine tokens, and what tells them apart. */
import { AccessTokenService } from '../domain/access-tokens.ts';
import { Authentication } from '../domain/authentication.ts';
import { CliSignIns } from '../domain/cli-sign-ins.ts';
import { MachineTokenService } from '../domain/machine-tokens.ts';
import type { SessionService } from '../domain/sessions.ts';
import type { Route } from '../http/implement.ts';
import { cliSignInRoutes } from '../http/routes/management/cli-sign-ins.ts';
import { machineTokenRoutes } from '../http/routes/management/machine-tokens.ts';
import type { Foundation } from './foundation.ts';

export interface AuthenticationParts {
  readonly authentication: Authentication;
  readonly accessTokens: AccessTokenService;
  /** Of machine tokens, and of signing in to get one. */
  readonly routes: readonly Route[];
}

export function buildAuthentication(
  { config, database, bus, counters, keyring, snapshots, identities, nowSeconds }: Foundation,
  { sessions, report }: { readonly sessions: SessionService; readonly report: (cause: unknown) => void },
): AuthenticationParts {
  const accessTokens = new AccessTokenService({
    database,
    bus,
    hashToken: (token) => keyring.accessTokenHash(token),
    lifeDays: config.security.access_token_days,
    nowSeconds,
  });
  const machineTokens = new MachineTokenService({
    database,
    hashSecret: (secret) => keyring.machineTokenHash(secret),
    nowSeconds,
    report,
  });
  const authentication = new Authentication({
    findSession: (id) => sessions.find(id),
    endSession: (id) => sessions.end(id),
    sessionSeen: (session) => sessions.seen(session),
    findUser: (id) => identities.resolveUser(id),
    findUserByAccessToken: (token) => accessTokens.findUser(token),
    findMachineToken: (secret) => machineTokens.find(secret),
    machineTokenSeen: (token) => machineTokens.seen(token),
    nowSeconds,
  });
  const cliSignIns = new CliSignIns({
    database,
    machineTokens,
    counters,
    failuresPerName: config.limits.login_failures,
    failuresPerAddress: config.limits.login_failures_by_address,
    hash: (purpose, subject, code) => keyring.codeHash(purpose, subject, code),
    siteAddress: () => snapshots.current().options.get('ServerAddress'),
    nowSeconds,
  });
  const routes = [...machineTokenRoutes(machineTokens), ...cliSignInRoutes(cliSignIns)];
  return { authentication, accessTokens, routes };
}
