/**
 * The balance of a relay that still answers OpenAI's former billing calls, as clones of this family do: a limit in USD
 * and what was used of it in hundredths. Source: management-api.md 3.10 and the OpenAI sheet, read 2026-11.
 */
import { isObject, type Json } from '../json.ts';
import type { BalanceFacts, SideRequest } from '../provider.ts';
import { pathOn } from './openai-compatible.ts';

/** The longest span that the usage call takes. */
const spanMs = 99 * 86_400_000;

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

function readMember(name: string): (body: Json) => number | undefined {
  return (body) => {
    const value = isObject(body) ? body[name] : undefined;
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  };
}

/** Two requests whose answers add up to the balance. */
export function billingBalance({ baseUrl, nowMs }: BalanceFacts): SideRequest<number>[] {
  const readUsage = readMember('total_usage');
  const span = `start_date=${dayOf(nowMs - spanMs)}&end_date=${dayOf(nowMs + 86_400_000)}`;
  return [
    {
      method: 'GET',
      path: pathOn(baseUrl, '/v1/dashboard/billing/subscription'),
      auth: { kind: 'bearer' },
      read: readMember('hard_limit_usd'),
    },
    {
      method: 'GET',
      path: pathOn(baseUrl, `/v1/dashboard/billing/usage?${span}`),
      auth: { kind: 'bearer' },
      read: (body) => {
        const usage = readUsage(body);
        return usage === undefined ? undefined : -usage / 100;
      },
    },
  ];
}
