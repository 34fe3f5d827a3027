/** Prices: the page of them, setting them, their versions, lists of others, and past charges by other prices. */
import { BudgetPeriods } from '../domain/budget-periods.ts';
import { ModelHealth } from '../domain/model-health.ts';
import type { ModelCatalog } from '../domain/models.ts';
import type { OptionService } from '../domain/options.ts';
import { PriceEditService } from '../domain/price-edits.ts';
import { PriceHistory } from '../domain/price-history.ts';
import { PricePageService } from '../domain/price-page.ts';
import { PriceRerate } from '../domain/price-rerate.ts';
import { PriceSync } from '../domain/price-sync.ts';
import type { NamesOfCall } from '../domain/rerated-charge.ts';
import { namesOn } from '../gateway/call-template.ts';
import { capabilitiesOf } from '../gateway/model-capabilities.ts';
import type { Route } from '../http/implement.ts';
import { priceWorkRoutes } from '../http/routes/management/price-work.ts';
import { pricingRoutes } from '../http/routes/management/pricing.ts';
import { matchRelayPath } from '../http/routes/relay-paths.ts';
import { priceListAt } from '../integrations/price-list.ts';
import type { Foundation } from './foundation.ts';
import type { RelayParts } from './relay.ts';

export interface PriceNeeds {
  readonly options: OptionService;
  readonly catalog: ModelCatalog;
  readonly guard: RelayParts['guard'];
  readonly report: (cause: unknown) => void;
}

/** Builds the routes of prices. */
export function buildPrices(foundation: Foundation, { options, catalog, guard, report }: PriceNeeds): Route[] {
  const { config, database, snapshots, nowSeconds } = foundation;
  const view = () => snapshots.current();
  const namesOf: NamesOfCall = ({ channelId, model, path }) => {
    const channel = view().channels.get(channelId);
    const names = channel && namesOn(channel, model);
    const match = matchRelayPath('POST', path);
    const ending = match?.kind === 'call' ? match.endpoint.priceEnding : undefined;
    return { bare: names?.bare ?? model, upstream: names?.upstream, ending };
  };
  const rerate = new PriceRerate({
    database,
    options,
    current: () => snapshots.parsedOptions(),
    namesOf,
    periods: new BudgetPeriods(config.site.time_zone),
    language: config.site.default_language,
    nowSeconds,
  });
  return [
    ...pricingRoutes({
      prices: new PricePageService({ view, catalog, namesOn, capabilitiesOf }),
      edits: new PriceEditService({ options, view, namesOn }),
      health: new ModelHealth({ database, nowSeconds, report }),
    }),
    ...priceWorkRoutes({
      history: new PriceHistory({ database, options }),
      sync: new PriceSync({ options, current: () => view().options, fetchText: priceListAt(guard) }),
      rerate,
    }),
  ];
}
