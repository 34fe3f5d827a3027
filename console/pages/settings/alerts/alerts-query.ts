/** The alerts as the daemon has them. */
import { queryOptions } from '@tanstack/react-query';
import { type AlertsView, alerts as alertEndpoints } from '../../../../daemon/contract/alerts.ts';
import { callsFor } from '../../../api/client.ts';

export type AlertTargetView = AlertsView['targets'][number];

export const alertCalls = callsFor(alertEndpoints);

export const alertsQuery = queryOptions({
  queryKey: ['alerts'],
  queryFn: ({ signal }) => alertCalls.get({}, { signal }),
});
