/** Versions of Azure's interfaces, as the channel's `other` names them. Source: providers/azure.md, read 2026-11. */
import type { OtherQuestion } from '../../provider.ts';

/** The dated interface; undefined for `v1`, `preview` and nothing, which mean the undated one. */
export function datedVersion(other: string): string | undefined {
  const text = other.trim();
  return /^\d{4}-\d{2}-\d{2}(?:-preview)?$/.test(text) ? text : undefined;
}

/** Whatever else it says would be taken for the undated interface. */
export function versionProblem({ other }: OtherQuestion): string | undefined {
  const isKnown = ['', 'v1', 'preview'].includes(other) || datedVersion(other) !== undefined;
  return isKnown ? undefined : 'must be the date of a version such as 2024-10-21, or v1 or preview';
}
