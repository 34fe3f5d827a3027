import { status as statusEndpoints } from '../../../daemon/contract/status.ts';
import { system as systemEndpoints } from '../../../daemon/contract/system.ts';
import { callsFor } from '../../api/client.ts';

/** How the site is; how long its channels take; the check of all addresses. */
export const system = callsFor({
  get: systemEndpoints.get,
  latency: systemEndpoints.latency,
  check: systemEndpoints.check,
});
/** Pings the database. */
export const ping = callsFor({ test: statusEndpoints.test });
