/** Orders as the command line shows them. */
import type { CommandContext } from '../context.ts';
import type { View } from '../output/columns.ts';

/** What `--status` takes. */
export const orderStates = ['pending', 'success', 'failed', 'expired'] as const;

export interface OrderRow {
  trade_no: string;
  amount: number;
  quota: number;
  money: string;
  currency: string;
  payment_method: string;
  status: string;
  create_time: number;
  complete_time: number;
  /** Only in an administrator's list. */
  username?: string;
  callbacks?: readonly { received_at: number; verified: boolean; reason: string }[];
}

export interface OrderTotalsRow {
  currency: string;
  count: number;
  amount: number;
  quota: number;
  money: string;
  paid_count: number;
  paid_quota: number;
  paid_money: string;
}

export function totalsView(context: CommandContext): View<OrderTotalsRow> {
  const money = context.moneyCells();
  return {
    columns: [
      { heading: 'CURRENCY', value: (row) => row.currency, priority: 1 },
      { heading: 'ORDERS', value: (row) => row.count, align: 'right', priority: 1 },
      { heading: 'MONEY', value: (row) => row.money, align: 'right', priority: 1 },
      { heading: 'QUOTA', unit: 'money', value: (row) => money(row.quota), align: 'right', priority: 3 },
      { heading: 'PAID ORDERS', value: (row) => row.paid_count, align: 'right', priority: 2 },
      { heading: 'PAID MONEY', value: (row) => row.paid_money, align: 'right', priority: 2 },
      { heading: 'PAID QUOTA', unit: 'money', value: (row) => money(row.paid_quota), align: 'right', priority: 4 },
    ],
    fields: ['currency', 'count', 'amount', 'quota', 'money', 'paid_count', 'paid_quota', 'paid_money'],
    id: (row) => row.currency,
  };
}

export function orderView(context: CommandContext, whose: 'own' | 'all'): View<OrderRow> {
  const money = context.moneyCells();
  return {
    columns: [
      { heading: 'TRADE', value: (row) => row.trade_no, priority: 1 },
      ...(whose === 'all' ? [{ heading: 'USER', value: (row: OrderRow) => row.username, priority: 3 }] : []),
      { heading: 'AMOUNT', unit: 'money', value: (row) => money(row.quota), align: 'right', priority: 2 },
      { heading: 'PAID', value: (row) => `${row.money} ${row.currency}`, align: 'right', priority: 2 },
      { heading: 'STATUS', unit: 'word', value: (row) => row.status, priority: 1 },
      { heading: 'METHOD', value: (row) => row.payment_method, priority: 6 },
      { heading: 'CREATED', unit: 'time', value: (row) => context.agoText(row.create_time), priority: 5 },
    ],
    id: (row) => row.trade_no,
  };
}
