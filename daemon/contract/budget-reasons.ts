/** Which budget is spent (`budget_exceeded`), in both languages: made in English, read back for the Chinese text. */

/** A budget as a refusal names it. */
export interface SpentBudget {
  readonly subject: keyof typeof owners;
  readonly kind: keyof typeof units;
  readonly per: keyof typeof periods;
  /** Quota as the site shows it, or a number. */
  readonly limit: string;
  /** When it begins anew, with the time zone. */
  readonly resets: string;
  /** Whether room comes with the next period only, or as soon as running requests have ended. */
  readonly waits: 'period' | 'running';
}

const owners = { token: ['this key', '该令牌'], user: ['this account', '该账户'] } as const;
const units = { quota: ['quota', '额度'], tokens: ['tokens', 'token'], requests: ['requests', '次请求'] } as const;
const periods = {
  hour: ['hour', '每小时'],
  day: ['day', '每天'],
  week: ['week', '每周'],
  month: ['month', '每月'],
} as const;

/** Such as `$20.000000 quota per month of this account, which begins anew at 2026-12-01 00:00 (UTC)`. */
export function spentBudget({ subject, kind, per, limit, resets, waits }: SpentBudget): string {
  const budget = `${limit} ${units[kind][0]} per ${periods[per][0]} of ${owners[subject][0]}`;
  return `${budget}${waits === 'running' ? held[0] : ''}, which begins anew at ${resets}`;
}

const held = [', held in part by requests that still run', '，其中一部分由进行中的请求占用'] as const;
const shape = /^(\S+) (\S+) per (\S+) of (.+?)(, held in part by requests that still run)?, which begins anew at (.+)$/;

/** The same in Chinese; a text of another shape as it is. */
export function chineseSpentBudget(reason: string): string {
  const [, limit, unit, period, owner, running, resets] = shape.exec(reason) ?? [];
  if (limit === undefined) return reason;
  const word = (pairs: Readonly<Record<string, readonly [string, string]>>, english: string | undefined) =>
    Object.values(pairs).find(([known]) => known === english)?.[1] ?? english;
  return `${word(owners, owner)}${word(periods, period)} ${limit} ${word(units, unit)}${running === undefined ? '' : held[1]}，将于 ${resets} 重置`;
}
