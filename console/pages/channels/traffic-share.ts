/** What part of the traffic a weight brings (D28): everybody's weight counts with ten added. */

export interface Peer {
  readonly priority: number;
  readonly weight: number;
}

const smoothing = 10;

/** Part of the picks within its priority, 0 to 1, beside the others of that priority. */
export function shareOf(own: Peer, others: readonly Peer[]): number {
  const peers = others.filter(({ priority }) => priority === own.priority);
  const sum = peers.reduce((total, { weight }) => total + weight + smoothing, own.weight + smoothing);
  return (own.weight + smoothing) / sum;
}
