/** A call that Tollgate itself refused before it was served: no log row tells of it (relay.md 16.4). */
import type { Capability } from '../relay/format.ts';
import type { Exchange } from './exchange.ts';
import type { ShownError } from './failure-answer.ts';

export interface RefusedCall {
  readonly requestId: string;
  readonly capability: Capability;
  /** Without query. */
  readonly path: string;
  /** As the client's dialect has it, where it has codes at all. */
  readonly code: string;
  /** HTTP status of the answer. */
  readonly status: number;
  /** 0 when it was refused with its key, or before that was looked up. */
  readonly userId: number;
  readonly clientAddress: string;
  readonly durationMs: number;
}

/** Called once per refused call, behind its answer; must not throw and must not wait. */
export type RefusalListener = (refused: RefusedCall) => void;

export function refusedCall(exchange: Exchange, { code, status }: Pick<ShownError, 'code' | 'status'>): RefusedCall {
  const { id: requestId, userId, ageMs: durationMs, request, endpoint } = exchange;
  const { path, clientAddress } = request;
  return {
    requestId,
    capability: endpoint.capability,
    path,
    code: String(code),
    status,
    userId,
    clientAddress,
    durationMs,
  };
}
