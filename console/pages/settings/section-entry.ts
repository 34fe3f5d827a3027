/** What the settings are made of: tabs, their sections, and the options of each section in reading order. */
import type { OptionKey } from '../../../daemon/contract/options.ts';
import type { texts } from '../../i18n/catalogues/zh/settings-fields.ts';

export const settingsTabs = ['operation', 'ratelimit', 'models', 'system', 'other'] as const;
export type SettingsTab = (typeof settingsTabs)[number];

/** Control of an option where the form of its value does not say enough. */
export type FieldControl = 'money' | 'tags' | 'image' | 'permission';

export interface OwnProblem {
  readonly text: keyof typeof texts.problem;
  /** Of the contract's reasons; every other one is said as it is. */
  readonly tells: RegExp;
}

export interface FieldEntry {
  readonly key: OptionKey;
  /** Under `label` of the catalogue; absent: the contract's own label is shown. */
  readonly label?: keyof typeof texts.label;
  readonly help?: keyof typeof texts.help;
  /** Shown while the switch is on, or the value differs from the one in force. */
  readonly warning?: keyof typeof texts.warning;
  /** What the screen itself says of a value that cannot be saved, in place of the reasons that this tells. */
  readonly problem?: OwnProblem;
  readonly control?: FieldControl;
  /** The closed set of words that the option takes; each has a text under `choice`. */
  readonly choices?: readonly string[];
  readonly range?: { readonly min?: number; readonly max?: number; readonly step?: number };
  /** Out of the way until the fold at the end of the section is opened. */
  readonly isFolded?: boolean;
  /** The switch without which the field has no effect; it is disabled while that is off. */
  readonly enabledBy?: OptionKey;
  /** Asked before the switch goes to this position. */
  readonly confirm?: { readonly when: 'true' | 'false'; readonly text: keyof typeof texts.confirm };
  /** An example for a JSON area. */
  readonly template?: string;
}

export interface SectionEntry {
  /** Part of the address (`section`), and key of the title in the catalogue. */
  readonly id: string;
  readonly tab: SettingsTab;
  readonly fields: readonly FieldEntry[];
  /** Drawn for the super administrator alone. */
  readonly isForRoot?: boolean;
}
