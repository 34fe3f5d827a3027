/** Machine tokens as their owners see them. */
import type { MachineTokenView, NewMachineTokenView } from '../../contract/machine-tokens.ts';
import { readScopes } from '../../contract/scopes.ts';
import type { FreshMachineToken } from '../../domain/machine-tokens.ts';
import type { MachineTokenRecord } from '../../store/machine-tokens.ts';

export function presentMachineToken(token: MachineTokenRecord): MachineTokenView {
  return {
    id: token.id,
    name: token.name,
    scopes: readScopes(token.scopes),
    allow_ips: token.allowIps,
    role: token.role,
    created_at: token.createdAt,
    expires_at: token.expiresAt,
    last_used_at: token.lastUsedAt,
    previous_until: token.previousUntil,
  };
}

/** With the secret, in the answer to the call that made it. */
export function presentFreshMachineToken({ token, secret }: FreshMachineToken): NewMachineTokenView {
  return { ...presentMachineToken(token), secret };
}
