import { budgets as endpoints } from '../../daemon/contract/budgets.ts';
import { callsFor } from '../api/client.ts';

export const budgets = callsFor(endpoints);
