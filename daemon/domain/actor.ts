/** Who acts on the management API, as resolved from a session, a system access token or a machine token. */
import { roles } from '../contract/roles.ts';
import { grantsScope, type Scope } from '../contract/scopes.ts';

/** How the caller proved who they are. */
export type ActorVia = 'session' | 'access-token' | 'machine-token';

/** The machine token of a call. */
export interface ActingMachineToken {
  readonly id: number;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** False for the secret before a rotation, in its time of grace. */
  readonly isCurrent: boolean;
}

export interface Actor {
  readonly userId: number;
  readonly username: string;
  /** 1 normal user, 10 administrator, 100 root; nothing else reaches a handler. */
  readonly role: number;
  /** Always 1: any other status is refused before a handler runs. */
  readonly status: number;
  readonly group: string;
  readonly via: ActorVia;
  /** Present exactly for calls by one. */
  readonly machineToken?: ActingMachineToken | undefined;
  /** When the credential ends, unix seconds; undefined for what the daemon does by itself. */
  readonly credentialEndsAt?: number | undefined;
  /** `users.auth_version` of the caller's session; undefined for whoever calls without one. */
  readonly authVersion?: number | undefined;
  /** `users.access_token_hash` of the access token that calls; undefined for any other credential. */
  readonly accessTokenHash?: string | null | undefined;
  /** Address of the call, for audit rows; as are the next two. */
  readonly ip: string;
  readonly requestId?: string | undefined;
  readonly userAgent?: string | undefined;
}

/** True for the three roles that an account may have. */
export function isRole(value: number): boolean {
  return value === roles.user || value === roles.admin || value === roles.root;
}

/** True unless a machine token without this scope calls. */
export function mayActOn({ machineToken }: Pick<Actor, 'machineToken'>, scope: Scope): boolean {
  return machineToken === undefined || grantsScope(machineToken.scopes, scope);
}
