/** How much memory there is for the daemon, and for what it keeps of requests. */
import { totalmem } from 'node:os';
import type { Config } from './schema.ts';

const MEBIBYTE = 1024 * 1024;
/** What is left is for the heap, in which a parsed body takes its length again or more, and for answers. */
const SHARE_OF_BODIES = 4;

/** Bytes that the machine, or the limit of its container, leaves to all processes of the daemon. */
export function availableMemory(): number {
  const limited = process.constrainedMemory();
  const total = totalmem();
  // Without a limit the system answers 0, or a number beyond what there is.
  return limited > 0 && limited < total ? limited : total;
}

/** Bytes of bodies that one process may have in memory: at least one of the largest that is allowed. */
export function heldBytesOf({ relay, server }: Pick<Config, 'relay' | 'server'>): number {
  const own = relay.max_held_bodies_mb * MEBIBYTE;
  const bytes = own > 0 ? own : Math.floor(availableMemory() / SHARE_OF_BODIES / server.workers);
  return Math.max(bytes, relay.max_request_body_mb * MEBIBYTE);
}

/** Bytes of these that large bodies of one user may have: at least one of the largest, too. */
export function heldBytesPerUserOf(config: Pick<Config, 'relay' | 'server'>): number {
  const { max_held_bodies_percent_per_user, max_request_body_mb } = config.relay;
  const share = Math.floor((heldBytesOf(config) / 100) * max_held_bodies_percent_per_user);
  return Math.max(share, max_request_body_mb * MEBIBYTE);
}
