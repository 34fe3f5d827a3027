/** What alerts tell of, and the figures that decide it. */

export const alertKinds = [
  'channel-disabled',
  'channel-recovered',
  'channel-balance',
  'error-rate',
  'user-balance',
  'token-quota',
] as const;
export type AlertKind = (typeof alertKinds)[number];

/** What the threshold of a kind counts; the others tell of what happens, however much of it. */
export const alertThresholds: Readonly<Partial<Record<AlertKind, 'dollars' | 'percent' | 'quota'>>> = {
  'channel-balance': 'dollars',
  'error-rate': 'percent',
  'user-balance': 'quota',
  'token-quota': 'quota',
};

/** Figures of a rule that not every kind looks at. */
export type AlertFigure = 'threshold' | 'window_minutes' | 'min_requests';

/** Whether rules of this kind look at a figure; one that they do not is refused, since nothing would follow from it. */
export function readsFigure(kind: AlertKind, figure: AlertFigure): boolean {
  return kind === 'error-rate' || (figure === 'threshold' && alertThresholds[kind] !== undefined);
}
