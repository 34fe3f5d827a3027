/** What a section may have besides its options. */
import type { ComponentType } from 'react';
import type { SectionEntry } from './section-entry.ts';

export interface SectionPartProps {
  readonly section: SectionEntry;
}

export interface SectionBodyProps extends SectionPartProps {
  readonly sought: string | undefined;
}

export interface SectionParts {
  /** Above the options. */
  readonly Before?: ComponentType<SectionPartProps>;
  /** In place of options and button. */
  readonly Body?: ComponentType<SectionBodyProps>;
  /** Between options and button. */
  readonly Between?: ComponentType<SectionPartProps>;
  /** Below the button. */
  readonly After?: ComponentType<SectionPartProps>;
}

/** Of the sections of one tab, by their ids; those that consist of their options alone are absent. */
export type TabParts = ReadonlyMap<string, SectionParts>;
