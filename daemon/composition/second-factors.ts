/** The second factor of accounts: what it is made of, and its routes. */

import type { Config } from '../config/schema.ts';
import type { AccountLetters } from '../domain/account-letters.ts';
import { PasskeyChallenges } from '../domain/passkey-challenges.ts';
import { PasskeyCheck } from '../domain/passkey-check.ts';
import { Passkeys } from '../domain/passkeys.ts';
import type { Passwords } from '../domain/passwords.ts';
import type { FactorChange } from '../domain/second-factors.ts';
import { SecondFactors } from '../domain/second-factors.ts';
import { SecondStep } from '../domain/second-step.ts';
import type { SessionService } from '../domain/sessions.ts';
import { StepUp } from '../domain/step-up.ts';
import type { Route } from '../http/implement.ts';
import { passkeyRoutes } from '../http/routes/management/passkeys.ts';
import { secondFactorRoutes } from '../http/routes/management/second-factor.ts';
import type { UserRecord } from '../store/users.ts';
import type { Foundation } from './foundation.ts';

export interface SecondFactorParts {
  readonly secondStep: SecondStep;
  readonly stepUp: StepUp;
  readonly routes: readonly Route[];
}

/** What of the foundation they stand on. */
interface Ground extends Pick<Foundation, 'database' | 'bus' | 'counters' | 'keyring' | 'snapshots' | 'nowSeconds'> {
  readonly config: {
    readonly limits: Pick<Config['limits'], 'login_failures' | 'login_failures_by_address'>;
    readonly security: Pick<Config['security'], 'fresh_proof_for_administration'>;
  };
}

/** Builds the services and their routes. */
export function buildSecondFactors(
  ground: Ground,
  parts: {
    readonly sessions: SessionService;
    readonly passwords: Passwords;
    readonly letters: Pick<AccountLetters, 'secondFactorChanged'>;
  },
): SecondFactorParts {
  const { config, database, bus, counters, keyring, snapshots, nowSeconds } = ground;
  const { sessions, passwords, letters } = parts;
  const changed = (user: UserRecord, change: FactorChange) => letters.secondFactorChanged(user, change);
  const failures = {
    failuresPerName: config.limits.login_failures,
    failuresPerAddress: config.limits.login_failures_by_address,
  };
  const factors = new SecondFactors({
    database,
    bus,
    sessions,
    secrets: keyring,
    siteName: () => snapshots.current().options.get('SystemName'),
    changed,
    nowSeconds,
  });
  const hash = (purpose: string, subject: string, text: string) => keyring.codeHash(purpose, subject, text);
  const ofPasskeys = {
    database,
    challenges: new PasskeyChallenges({ hash, stores: database.stores, nowSeconds }),
    options: () => snapshots.current().options,
    handleOf: (userId: number) => hash('passkey-user', '', String(userId)),
    nowSeconds,
  };
  const check = new PasskeyCheck(ofPasskeys);
  const secondStep = new SecondStep({
    database,
    sessions,
    factors,
    passkeys: check,
    counters,
    ...failures,
    nowSeconds,
  });
  const stepUp = new StepUp({
    stores: database.stores,
    sessions,
    factors,
    passkeys: check,
    passwords,
    counters,
    ...failures,
    administration: config.security.fresh_proof_for_administration ? 'asked' : 'not-asked',
    nowSeconds,
  });
  const passkeys = new Passkeys({ ...ofPasskeys, check, secondStep, changed });
  const routes = [...secondFactorRoutes({ factors, secondStep, stepUp }), ...passkeyRoutes(passkeys)];
  return { secondStep, stepUp, routes };
}
