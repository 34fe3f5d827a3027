/** Declared state, and rate rules, which it writes too: services and routes. */
import type { OptionsView } from '../contract/options.ts';
import type { AlertService } from '../domain/alerts.ts';
import { declaredAlertRules, declaredAlertTargets } from '../domain/declared-alerts.ts';
import { declaredChannels } from '../domain/declared-channels.ts';
import { declaredGroups } from '../domain/declared-groups.ts';
import { declaredLimits } from '../domain/declared-limits.ts';
import { declaredOptions } from '../domain/declared-options.ts';
import { declaredPrices } from '../domain/declared-prices.ts';
import { declaredRateRules } from '../domain/declared-rate-rules.ts';
import { DeclaredSets } from '../domain/declared-sets.ts';
import { DeclaredState } from '../domain/declared-state.ts';
import { OptionWriter } from '../domain/option-writer.ts';
import { RateRuleService } from '../domain/rate-rule-edits.ts';
import type { Route } from '../http/implement.ts';
import { rateRuleRoutes } from '../http/routes/management/rate-rules.ts';
import { stateRoutes } from '../http/routes/management/state.ts';
import type { ChannelParts } from './channels.ts';
import type { Foundation } from './foundation.ts';
import type { RelayParts } from './relay.ts';

export interface DeclaredStateNeeds {
  readonly alerts: AlertService;
  readonly channels: Pick<ChannelParts, 'writer' | 'rules'>;
  readonly cooling: RelayParts['cooling'];
}

/** Builds the routes of both. */
export function buildDeclaredState(foundation: Foundation, needs: DeclaredStateNeeds): Route[] {
  const { database, bus, keyring, snapshots, nowSeconds } = foundation;
  const current = () => snapshots.parsedOptions();
  const digest = (text: string) => keyring.codeHash('state', '', text);
  const seal: typeof keyring.seal = (context, plain) => keyring.seal(context, plain);
  const unseal: typeof keyring.open = (context, sealed) => keyring.open(context, sealed);
  const rules = new RateRuleService({ database, bus, options: () => snapshots.current().options, nowSeconds });
  const writer = new OptionWriter({ current, seal, nowSeconds });
  const defaults: OptionsView = { get: (key) => current().defaultOf(key) };
  const alerts = { alerts: needs.alerts, digest };
  const state = new DeclaredState({
    database,
    bus,
    kinds: [
      declaredOptions({ writer, unseal, digest }),
      declaredGroups({ writer, defaults }),
      declaredPrices({ writer, defaults }),
      declaredLimits({ writer }),
      declaredRateRules({ rules }),
      declaredAlertRules(alerts),
      declaredAlertTargets(alerts),
      declaredChannels({ ...needs.channels, nowSeconds }),
    ],
    current,
    optionWriter: writer,
    cooling: needs.cooling,
    digest,
    nowSeconds,
  });
  return [...rateRuleRoutes(rules), ...stateRoutes({ state, sets: new DeclaredSets({ database, nowSeconds }) })];
}
