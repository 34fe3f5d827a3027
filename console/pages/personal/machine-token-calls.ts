import { machineTokens } from '../../../daemon/contract/machine-tokens.ts';
import { callsFor } from '../../api/client.ts';

export const machineTokenCalls = callsFor(machineTokens);
