/**
 * What the probes of requests and of answers share.
 */
import type { ContentPart, Dialect } from '../../daemon/relay/canonical/chat.ts';

export interface Probe<Subject> {
  readonly name: string;
  make(dialect: Dialect): Partial<Subject>;
  /** What is left of the feature; undefined when it is gone. */
  see(subject: Subject): unknown;
}

/** A picture of one dot. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const call = { type: 'tool-call', kind: 'function', callId: 'call_1', name: 'look', input: '{"at":1}' } as const;
export const second = { ...call, callId: 'call_2', input: '{"at":2}' };

export function textOf(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
