/** Texts of the dashboard (console.md 6.8). */
import type { TextsLike } from '../../texts-like.ts';
import type { texts as zh } from '../zh/dashboard.ts';

export const texts: TextsLike<typeof zh> = {
  off: 'The dashboard is switched off',
  switchOn: 'Open the setting',
  range: { label: 'Time range', today: 'Today', '24h': '24 hours', '7d': '7 days', '30d': '30 days', own: 'Custom' },
  unit: { label: 'Unit of time', hour: 'Hour', day: 'Day', week: 'Week' },
  measure: { label: 'Figure', quota: 'Money', tokens: 'Tokens', count: 'Requests' },
  start: 'First day',
  end: 'Last day',
  wrongOrder: 'The first day is after the last one',
  tooLong: 'Time span is limited to {days} days',
  username: 'User name',
  card: {
    balance: 'Balance',
    used: 'Used',
    cost: 'Cost',
    count: 'Requests',
    tokens: 'Tokens',
    rates: 'RPM / TPM',
    topUp: 'Top up',
  },
  chart: { models: 'By model', lines: 'Requests and tokens', time: 'Time', zone: 'Days are those of {zone}' },
  table: {
    title: 'Models',
    model: 'Model',
    requests: 'Requests',
    tokens: 'Tokens',
    cost: 'Cost',
    share: 'Share',
  },
  begin: { title: 'Get started', token: 'Create a token', call: 'make a call', log: 'see its cost' },
};
