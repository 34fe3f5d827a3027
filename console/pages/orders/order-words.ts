/** Words of the wire that the catalogue names; others are shown as they come. Pure. */
import type { TFunction } from 'i18next';
import type { AdminOrderView } from '../../../daemon/contract/orders.ts';

const methods = ['zfb', 'wx'] as const;
const reasons = ['amount', 'closed', 'merchant', 'provider', 'repeated', 'signature', 'unpaid', 'user_gone'] as const;

export function methodName(method: string, t: TFunction<'orders'>): string {
  const known = methods.find((one) => one === method);
  return known ? t(`method.${known}`) : method || '—';
}

export function reasonName(reason: string, t: TFunction<'orders'>): string {
  const known = reasons.find((one) => one === reason);
  return known ? t(`reason.${known}`) : reason;
}

/** Whose balance an order fills, also once the account is gone. */
export function buyerName({ username, user_id }: Pick<AdminOrderView, 'username' | 'user_id'>): string {
  return username === '' ? `#${user_id}` : username;
}

/** Why an order cannot be completed by hand, as key of the catalogue; undefined when it can. */
export function completionRefusal(
  status: AdminOrderView['status'],
): 'refused.completed' | 'refused.closed' | undefined {
  if (status === 'success') return 'refused.completed';
  return status === 'failed' ? 'refused.closed' : undefined;
}
