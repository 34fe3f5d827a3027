/** What the palette shows first for what was typed: prefix, then parts, then letters in order; then what was used last. */
import { readJson, writeJson } from '../session/storage.ts';

const recentKey = 'palette-recent';
const recentCount = 20;

export interface PaletteEntry {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  /** What else it is found by, in lower case. */
  readonly words?: string;
  readonly group: string;
  readonly run: () => void;
}

function recentIds(): readonly string[] {
  const stored = readJson(recentKey);
  return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string').slice(0, recentCount) : [];
}

export function remember(id: string): void {
  writeJson(recentKey, [id, ...recentIds().filter((other) => other !== id)].slice(0, recentCount));
}

function holdsInOrder(text: string, letters: string): boolean {
  let at = 0;
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** 0 is best; undefined does not match. */
function rankOf({ label, description = '', words = '' }: PaletteEntry, wanted: string): number | undefined {
  const text = label.toLowerCase();
  if (text.startsWith(wanted)) return 0;
  if (text.includes(wanted)) return 1;
  if (description.toLowerCase().includes(wanted) || words.includes(wanted)) return 2;
  return holdsInOrder(text, wanted) ? 3 : undefined;
}

/** @param isStrict leaves out what only has the letters in this order: among many, something always has */
export function ranked(entries: readonly PaletteEntry[], query: string, isStrict = false): readonly PaletteEntry[] {
  const wanted = query.trim().toLowerCase();
  const recent = recentIds();
  const age = ({ id }: PaletteEntry) => (recent.includes(id) ? recent.indexOf(id) : recentCount);
  return entries
    .flatMap((entry) => {
      const rank = wanted === '' ? 0 : rankOf(entry, wanted);
      return rank === undefined || (isStrict && rank === 3) ? [] : [{ entry, rank, age: age(entry) }];
    })
    .sort((a, b) => a.rank - b.rank || a.age - b.age)
    .map(({ entry }) => entry);
}
