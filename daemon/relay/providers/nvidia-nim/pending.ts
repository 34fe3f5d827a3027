/** What NVIDIA's hosted functions and models answer while they still work. Source: providers/nvidia-nim.md, read 2026-11. */
import type { CallReply, FollowUp } from '../../call-format.ts';

/** Between two questions. */
const pauseMs = 1000;

/** Where to ask for the result of a call that was only accepted; undefined for an answer that is there. */
export function pendingOf({ body, headers }: CallReply): FollowUp | undefined {
  const id = headers['nvcf-reqid'];
  // Answers carry the id, too: what tells them apart is that there is something in them.
  const isPending = headers['nvcf-status'] === 'pending-evaluation' || body.length === 0;
  if (typeof id !== 'string' || !isPending) return undefined;
  return { kind: 'follow-up', path: `/v1/status/${encodeURIComponent(id)}`, isAfterWork: true, afterMs: pauseMs };
}
