/** The second factor of accounts: what it is made of, and its routes. */
import type { FactorChange } from '../domain/second-factors.ts';
import { SecondFactors } from '../domain/second-factors.ts';
import { SecondStep } from '../domain/second-step.ts';
import type { SessionService } from '../domain/sessions.ts';
import type { Route } from '../http/implement.ts';
import { secondFactorRoutes } from '../http/routes/management/second-factor.ts';
import type { UserRecord } from '../store/users.ts';
import type { Foundation } from './foundation.ts';

export interface SecondFactorParts {
  readonly secondStep: SecondStep;
  readonly routes: readonly Route[];
}

/** Builds the services and their routes. */
export function buildSecondFactors(
  foundation: Foundation,
  parts: {
    readonly sessions: SessionService;
    readonly changed: (user: UserRecord, change: FactorChange) => void;
  },
): SecondFactorParts {
  const { config, database, bus, counters, keyring, snapshots, nowSeconds } = foundation;
  const { sessions, changed } = parts;
  const factors = new SecondFactors({
    database,
    bus,
    sessions,
    secrets: keyring,
    siteName: () => snapshots.current().options.get('SystemName'),
    changed,
    nowSeconds,
  });
  const secondStep = new SecondStep({
    database,
    sessions,
    factors,
    counters,
    failuresPerName: config.limits.login_failures,
    failuresPerAddress: config.limits.login_failures_by_address,
    nowSeconds,
  });
  return { secondStep, routes: secondFactorRoutes({ factors, secondStep }) };
}
