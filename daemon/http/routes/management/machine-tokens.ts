/** Routes of machine tokens. */
import { contract } from '../../../contract/index.ts';
import type { MachineTokenService } from '../../../domain/machine-tokens.ts';
import { implement, type Route } from '../../implement.ts';
import { presentFreshMachineToken, presentMachineToken } from '../../present/machine-tokens.ts';

export const machineTokenRoutes = (tokens: MachineTokenService): Route[] => [
  implement(contract.machineTokens.list, async ({ actor }) => (await tokens.list(actor)).map(presentMachineToken)),
  implement(contract.machineTokens.create, async ({ actor, input }) =>
    presentFreshMachineToken(
      await tokens.create(actor, {
        name: input.name,
        scopes: input.scopes,
        expiresAt: input.expires_at,
        allowIps: input.allow_ips ?? '',
      }),
    ),
  ),
  implement(contract.machineTokens.rotate, async ({ actor, input }) =>
    presentFreshMachineToken(await tokens.rotate(actor, { id: input.id, graceSeconds: input.grace_seconds ?? 0 })),
  ),
  implement(contract.machineTokens.revoke, ({ actor, input }) => tokens.revoke(actor, input.id)),
];
