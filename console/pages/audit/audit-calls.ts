import { audits as endpoints } from '../../../daemon/contract/audits.ts';
import { callsFor } from '../../api/client.ts';

export const audits = callsFor(endpoints);
