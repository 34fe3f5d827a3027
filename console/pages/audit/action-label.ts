/** The name of an act in the language of the page; the act itself where it has none. */
import type { TFunction } from 'i18next';
import { actionKey } from './audit-detail.ts';

export function actionLabel(action: string, t: TFunction<'audit'>): string {
  const key = actionKey(action);
  return key === undefined ? action : t(`action.${key}`);
}
