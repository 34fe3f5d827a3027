/** Scopes of machine tokens (D25): what a token may read or change, told apart by resource. */
import * as z from 'zod/mini';
import { roles } from './roles.ts';

/** What scopes are about, in the order in which they are offered. */
export const scopedResources = [
  'user',
  'token',
  'channel',
  'option',
  'price',
  'redemption',
  'log',
  'order',
  'audit',
  'state',
] as const;
export type ScopedResource = (typeof scopedResources)[number];

/** `resource:read` or `resource:write`; writing includes reading. */
export type Scope = `${ScopedResource}:${'read' | 'write'}`;

/** Every scope, reading before writing. */
export const scopes: readonly Scope[] = scopedResources.flatMap((resource): Scope[] => [
  `${resource}:read`,
  `${resource}:write`,
]);

export const ScopeName = z.enum(scopes);

/**
 * Resources of which every user owns some: their scopes reach the own rows, and for administrators those of everybody.
 * All others are administrators' alone; `log:write` deletes logs, which is theirs as well.
 */
const ownedByUsers: ReadonlySet<Scope> = new Set([
  'user:read',
  'user:write',
  'token:read',
  'token:write',
  'log:read',
  'order:read',
  'order:write',
]);

/** Whether any call is within reach of a role that asks for this scope. */
export function isScopeOfRole(scope: Scope, role: number): boolean {
  return role >= roles.admin || ownedByUsers.has(scope);
}

/** Whether somebody who holds these scopes may do what asks for that one. */
export function grantsScope(held: readonly Scope[], asked: Scope): boolean {
  return held.includes(asked) || (asked.endsWith(':read') && held.includes(writingScope(asked)));
}

/** The scopes of a stored list; names that are no longer known grant nothing. */
export function readScopes(text: string): Scope[] {
  const named = new Set(text.split(' '));
  return scopes.filter((scope) => named.has(scope));
}

/** What may be asked for before the role is known: `*` is every scope that the role turns out to have a use for. */
export const ScopeWish = z.union([ScopeName, z.literal('*')]);
export type ScopeWish = Scope | '*';

/** The scopes of a wish for somebody of this role, as they would be granted; those beyond the role stay in. */
export function wishedScopes(wish: readonly ScopeWish[], role: number): Scope[] {
  return plainScopes(
    wish.flatMap((word) => (word === '*' ? scopes.filter((scope) => isScopeOfRole(scope, role)) : [word])),
  );
}

/** The same scopes, each once and in order, without a reading that a writing includes. */
export function plainScopes(held: readonly Scope[]): Scope[] {
  return scopes.filter(
    (scope) => held.includes(scope) && !(scope.endsWith(':read') && held.includes(writingScope(scope))),
  );
}

function writingScope(scope: Scope): Scope {
  const [resource] = scope.split(':');
  return scopes.find((other) => other === `${resource}:write`) ?? scope;
}
