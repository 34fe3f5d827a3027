/** Alerts on the wire: addresses of robots are credentials, secrets never leave. */
import type { AlertSettings, AlertsView, NoticeFigures } from '../../contract/alerts.ts';
import { hostOf } from '../../domain/alert-settings.ts';

export function presentAlerts({ rules, targets }: AlertSettings, deliveries: NoticeFigures): AlertsView {
  return {
    rules: rules.map((rule) => ({ ...rule })),
    targets: targets.map(({ id, type, name, enabled, dialect, language, kinds, address, secret }) => ({
      id,
      type,
      name,
      enabled,
      dialect,
      language,
      kinds: [...kinds],
      address: type === 'robot' ? hostOf(address) : address,
      secret_set: secret !== '',
    })),
    deliveries,
  };
}
