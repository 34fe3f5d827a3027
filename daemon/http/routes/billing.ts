/** Routes of the billing look-alikes (relay.md 10.2, management-api.md 3.19). */
import { contract } from '../../contract/index.ts';
import type { OptionsView } from '../../contract/options.ts';
import { billingFigures } from '../../domain/billing-figures.ts';
import { refuseExtensionOrigin } from '../../gateway/admit.ts';
import type { RequestFacts } from '../call.ts';
import { implement, type Route } from '../implement.ts';
import type { RelayKeyCaller } from '../middleware/relay-key.ts';
import { presentKeyUsage, presentSubscription, presentUsage } from '../present/billing.ts';

export const billingRoutes = (options: () => OptionsView): Route[] => {
  /** Handlers refuse browser extensions as every other relay path does (relay.md 17.8). */
  const told =
    <Answer>(answer: (caller: RelayKeyCaller, view: OptionsView) => Answer) =>
    ({ caller, request }: { readonly caller: RelayKeyCaller; readonly request: RequestFacts }): Answer => {
      const view = options();
      refuseExtensionOrigin(request.header('origin'), view);
      return answer(caller, view);
    };
  const { subscription, usage, keyUsage } = contract.billing;
  return [
    implement(
      subscription,
      told((caller, view) => presentSubscription(billingFigures(caller, view))),
    ),
    implement(
      usage,
      told((caller, view) => presentUsage(billingFigures(caller, view))),
    ),
    implement(
      keyUsage,
      told(({ token }) => presentKeyUsage(token)),
    ),
  ];
};
