/** What alerts tell of, and which of them have a threshold. */

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
