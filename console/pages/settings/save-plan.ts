/**
 * In what order changed options are sent (console.md 6.22): what is no switch first, four at a time; then the switches
 * one after another up to the first refusal, since a switch may need what was just filled in.
 */
import type { OptionKey } from '../../../daemon/contract/options.ts';

export interface OptionChange {
  readonly key: OptionKey;
  /** Null clears a secret, and puts any other option back to its default. */
  readonly value: string | null;
}

export interface SavePlan {
  readonly together: readonly OptionChange[];
  readonly inTurn: readonly OptionChange[];
}

const atOnce = 4;

/** True for the keys that are sent one after another. */
export function isSwitchKey(key: string): boolean {
  return /enabled$/i.test(key) || key === 'DefaultCollapseSidebar';
}

/** Switches that go off come first: where two exclude each other, the other could not go on before. */
export function planSave(changes: readonly OptionChange[]): SavePlan {
  const switches = changes.filter(({ key }) => isSwitchKey(key));
  return {
    together: changes.filter(({ key }) => !isSwitchKey(key)),
    inTurn: [...switches.filter(({ value }) => value !== 'true'), ...switches.filter(({ value }) => value === 'true')],
  };
}

export interface SaveReport {
  readonly saved: readonly OptionKey[];
  readonly refused: ReadonlyMap<OptionKey, unknown>;
  /** Switches behind the one that was refused: not sent. */
  readonly unsent: readonly OptionKey[];
}

/** Sends a plan; never throws, what `send` throws is reported by key. */
export async function runSave(plan: SavePlan, send: (change: OptionChange) => Promise<void>): Promise<SaveReport> {
  const saved: OptionKey[] = [];
  const refused = new Map<OptionKey, unknown>();
  const attempt = async (change: OptionChange): Promise<boolean> => {
    try {
      await send(change);
      saved.push(change.key);
      return true;
    } catch (error) {
      refused.set(change.key, error);
      return false;
    }
  };
  const waiting = [...plan.together];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await attempt(next);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  for (const [at, change] of plan.inTurn.entries()) {
    if (await attempt(change)) continue;
    return { saved, refused, unsent: plan.inTurn.slice(at + 1).map(({ key }) => key) };
  }
  return { saved, refused, unsent: [] };
}

export type SaveOutcome = 'saved' | 'failed' | 'partial';

/** `failed` when nothing of it was saved, `partial` when some was. */
export function outcomeOf({ saved, refused }: SaveReport): SaveOutcome {
  if (refused.size === 0) return 'saved';
  return saved.length === 0 && refused.size === 1 ? 'failed' : 'partial';
}
