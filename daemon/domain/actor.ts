/** Who acts on the management API, as resolved from a session or a system access token. */

/** How the caller proved who they are. */
export type ActorVia = 'session' | 'access-token';

export interface Actor {
  readonly userId: number;
  readonly username: string;
  /** 1 normal user, 10 administrator, 100 root; nothing else reaches a handler. */
  readonly role: number;
  /** Always 1: any other status is refused before a handler runs. */
  readonly status: number;
  readonly group: string;
  readonly via: ActorVia;
  /** Address of the call, for audit rows; as are the next two. */
  readonly ip: string;
  readonly requestId?: string | undefined;
  readonly userAgent?: string | undefined;
}

/** Lowest role of each level of access. */
export const roles = { user: 1, admin: 10, root: 100 } as const;

/** True for the three roles that an account may have. */
export function isRole(value: number): boolean {
  return value === roles.user || value === roles.admin || value === roles.root;
}
