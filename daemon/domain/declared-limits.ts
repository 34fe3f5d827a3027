/** Limits by the minute of groups and models in declared state; those of users and keys are theirs, not a document's. */
import type { OptionKey } from '../contract/options.ts';
import type { RateLimit, RateLimitTable } from '../contract/rate-limits.ts';
import { changedText } from './declared-groups.ts';
import {
  changedFields,
  type DeclaredKind,
  type KindView,
  type LiveObject,
  type StateReading,
} from './declared-objects.ts';
import type { OptionWriter } from './option-writer.ts';

export interface DeclaredLimitsDeps {
  readonly writer: Pick<OptionWriter, 'checkedText'>;
}

const none = { rpm: 0, tpm: 0, concurrency: 0 } as const;
const tables = ['group', 'model'] as const;

export function declaredLimits(deps: DeclaredLimitsDeps): DeclaredKind {
  return { kind: 'limit', view: async (reading) => viewLimits(deps, reading) };
}

function viewLimits({ writer }: DeclaredLimitsDeps, { document, options, writerOf }: StateReading): KindView {
  const before: RateLimitTable = options.get('RateLimits');
  const live = new Map<string, LiveObject>();
  for (const table of tables) {
    for (const [name, limit] of Object.entries(before[table] ?? {})) {
      const on = `${table}:${name}`;
      const isThere = Object.values(limit).some((figure) => figure > 0);
      live.set(on, { target: on, key: on, fields: { ...none, ...limit }, isThere });
    }
  }
  return {
    live,
    wanted: Object.entries(document.limits ?? {}).map(([on, limit]) => ({ key: on, target: on, fields: { ...limit } })),
    defaultOf: () => 0,
    isRootOnly: () => false,
    writerOf: () => writerOf('RateLimits'),
    prepare: (changes) => {
      const next = { group: new Map(entriesOf(before, 'group')), model: new Map(entriesOf(before, 'model')) };
      for (const change of changes) {
        const [table, name] = parted(change.key);
        const { rpm, tpm, concurrency } = changedFields(live.get(change.key)?.fields ?? none, change);
        const given = Object.entries({ rpm, tpm, concurrency }).flatMap(([kind, figure]) =>
          typeof figure === 'number' && figure > 0 ? [[kind, figure] as const] : [],
        );
        if (given.length === 0) next[table].delete(name);
        else next[table].set(name, Object.fromEntries(given));
      }
      const after: RateLimitTable = {
        ...before,
        group: Object.fromEntries(next.group),
        model: Object.fromEntries(next.model),
      };
      const text = changedText('RateLimits', { RateLimits: after }, options);
      const texts = new Map<OptionKey, string>();
      if (text !== undefined) texts.set('RateLimits', writer.checkedText('RateLimits', text));
      return { options: texts };
    },
  };
}

function entriesOf(table: RateLimitTable, kind: (typeof tables)[number]): [string, RateLimit][] {
  return Object.entries(table[kind] ?? {});
}

function parted(on: string): [table: (typeof tables)[number], name: string] {
  return on.startsWith('group:') ? ['group', on.slice('group:'.length)] : ['model', on.slice('model:'.length)];
}
