/** Quota as the site shows it in texts (management-api.md 5.1). */
import type { OptionsView } from '../contract/options.ts';

/** `$0.500000` while amounts are shown in currency, else the units. */
export function quotaText(quota: number, options: OptionsView): string {
  if (!options.get('DisplayInCurrencyEnabled')) return String(quota);
  const dollars = Math.abs(quota) / options.get('QuotaPerUnit');
  return `${quota < 0 ? '-' : ''}$${dollars.toFixed(6)}`;
}
