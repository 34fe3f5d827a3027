/** Routes of the billing look-alikes (relay.md 10.2, management-api.md 3.19). */
import { contract } from '../../contract/index.ts';
import type { OptionsView } from '../../contract/options.ts';
import { billingFigures } from '../../domain/billing-figures.ts';
import { implement, type Route } from '../implement.ts';
import { presentKeyUsage, presentSubscription, presentUsage } from '../present/billing.ts';

export const billingRoutes = (options: () => OptionsView): Route[] => [
  implement(contract.billing.subscription, ({ caller }) => presentSubscription(billingFigures(caller, options()))),
  implement(contract.billing.usage, ({ caller }) => presentUsage(billingFigures(caller, options()))),
  implement(contract.billing.keyUsage, ({ caller }) => presentKeyUsage(caller.token)),
];
