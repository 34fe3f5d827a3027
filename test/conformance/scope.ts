/**
 * A scope without chance or clock, so that a translation can be compared byte for byte.
 */
import type { Scope } from '../../daemon/relay/format.ts';

export interface TestScope extends Scope {
  readonly lost: string[];
}

export function testScope(traits: NonNullable<Scope['traits']> = {}): TestScope {
  let ids = 0;
  const lost: string[] = [];
  return {
    newId: (prefix) => `${prefix}${String(ids++).padStart(24, '0')}`,
    now: () => 1_790_000_000,
    model: 'asked-model',
    lose: (field) => lost.push(field),
    traits,
    promptTokens: 7,
    lost,
  };
}
