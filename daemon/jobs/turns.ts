/** Whose turn it is to do what one node an interval does for all. */
import type { Leases } from '../cluster/leases.ts';

/** Shorter than the interval, so that a node's own next turn never meets its last lease. */
const turnShare = 0.9;

/**
 * True for the first node that asks in an interval. Each asks at its own turns; the lease is left to its age, so that one
 * run an interval serves the cluster.
 */
export async function takesTurn(leases: Leases, name: string, everyMs: number): Promise<boolean> {
  return (await leases.acquire(`turn:${name}`, everyMs * turnShare)) !== undefined;
}
