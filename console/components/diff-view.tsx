/** What changed between two values (console.md 7.15). What compares texts is loaded with the first of them. */
import { Skeleton } from '@mantine/core';
import { Suspense } from 'react';
import '@mantine/core/styles/Skeleton.css';
import { DiffTable } from './diff-table.tsx';
import type { DiffRow } from './diff-values.ts';
import { lazyPart } from './late-part.tsx';

const DiffLines = lazyPart(() => import('./diff-lines.tsx').then((module) => ({ default: module.DiffLines })));

interface Sides {
  readonly before: unknown;
  readonly after: unknown;
}

export type DiffViewProps = {
  readonly label: string;
  /** Names of members whose values are shown as `***`. */
  readonly secrets?: readonly string[];
} & (
  | (Sides & { readonly kind: 'text' | 'json' })
  /** Members side by side: old, new, and by how much a number moved. */
  | (Sides & { readonly kind: 'table' })
  | { readonly kind: 'rows'; readonly rows: readonly DiffRow[] }
);

export function DiffView(props: DiffViewProps) {
  const { label, secrets = [] } = props;
  if (props.kind === 'rows') return <DiffTable label={label} rows={props.rows} />;
  if (props.kind === 'table')
    return <DiffTable label={label} before={props.before} after={props.after} secrets={secrets} />;
  const { before, after, kind } = props;
  return (
    <Suspense fallback={<Skeleton height={120} />}>
      <DiffLines label={label} before={before} after={after} kind={kind} secrets={secrets} />
    </Suspense>
  );
}
