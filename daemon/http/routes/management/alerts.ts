/** Routes of alerts. */
import { chineseDeliveryReason } from '../../../contract/delivery-reasons.ts';
import { contract } from '../../../contract/index.ts';
import type { AlertService } from '../../../domain/alerts.ts';
import { implement, type Route } from '../../implement.ts';
import { presentAlerts } from '../../present/alerts.ts';

export const alertRoutes = (alerts: AlertService): Route[] => [
  implement(contract.alerts.get, () => presentAlerts(alerts.settings, alerts.figures)),
  implement(contract.alerts.set, async ({ actor, input }) =>
    presentAlerts(await alerts.change(actor, { rules: input.rules ?? [], targets: input.targets }), alerts.figures),
  ),
  implement(contract.alerts.test, async ({ input, request: { language } }) => {
    const results = await alerts.test({ target: input.target, kind: input.kind });
    if (language !== 'zh') return results;
    return results.map((result) => ({ ...result, reason: chineseDeliveryReason(result.reason) }));
  }),
];
