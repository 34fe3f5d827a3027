/** All sections of the settings, in reading order; every option stands in exactly one. */
import type { OptionKey } from '../../../daemon/contract/options.ts';
import { type Drafts, type OptionRows, reasonAgainst } from './option-draft.ts';
import type { FieldEntry, OwnProblem, SectionEntry, SettingsTab } from './section-entry.ts';
import { operationSections } from './sections-operation.ts';
import { relaySections } from './sections-relay.ts';
import { systemSections } from './sections-system.ts';

export const sections: readonly SectionEntry[] = [...operationSections, ...relaySections, ...systemSections];

export function sectionsOf(tab: SettingsTab): readonly SectionEntry[] {
  return sections.filter((section) => section.tab === tab);
}

export function keysOf(section: SectionEntry): readonly OptionKey[] {
  return section.fields.map(({ key }) => key);
}

export interface PlacedField {
  readonly field: FieldEntry;
  readonly section: SectionEntry;
}

const placed = new Map<OptionKey, PlacedField>(
  sections.flatMap((section) =>
    section.fields.map((field): [OptionKey, PlacedField] => [field.key, { field, section }]),
  ),
);

/** Where an option is shown. */
export function placeOf(key: OptionKey): PlacedField | undefined {
  return placed.get(key);
}

/** The screen's own words on what is wrong with a draft; undefined where only the contract's reason says it. */
export function ownProblemOf(key: OptionKey, draft: string | null): OwnProblem['text'] | undefined {
  const own = placeOf(key)?.field.problem;
  return own?.tells.test(reasonAgainst(key, draft) ?? '') ? own.text : undefined;
}

/** Of these keys, whose drafts cannot be saved and need not be: the switch that governs their field is off. */
export function idleMistakes(keys: readonly OptionKey[], rows: OptionRows, drafts: Drafts): OptionKey[] {
  return keys.filter((key) => {
    const governor = placeOf(key)?.field.enabledBy;
    const draft = drafts[key];
    if (governor === undefined || draft === undefined || reasonAgainst(key, draft) === undefined) return false;
    return (drafts[governor] ?? rows.get(governor)?.value) !== 'true';
  });
}
