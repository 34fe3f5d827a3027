/** Every section and option of the settings by its words, with the address that leads there: what searches look through. */
import type { TFunction } from 'i18next';
import { textsOf } from './option-texts.ts';
import { sections } from './sections.ts';

export interface SettingPlace {
  /** `section:<id>` or the option's key. */
  readonly id: string;
  readonly label: string;
  /** Tab and section. */
  readonly group: string;
  /** What it is found by, in lower case. */
  readonly words: string;
  /** Query of the address of the settings. */
  readonly query: string;
}

export interface PlaceTexts {
  readonly t: TFunction<'settings'>;
  readonly fieldText: TFunction<'settings-fields'>;
  readonly language: string;
}

/** @param isRoot whether the sections of the super administrator are among them */
export function settingPlaces({ t, fieldText, language }: PlaceTexts, isRoot: boolean): readonly SettingPlace[] {
  return sections
    .filter(({ isForRoot }) => isRoot || !isForRoot)
    .flatMap((section) => {
      const title = t(`section.${section.id}`);
      const own = {
        id: `section:${section.id}`,
        label: title,
        group: `${t(`tab.${section.tab}`)} · ${title}`,
        words: `${title} ${section.id}`.toLowerCase(),
        query: `?tab=${section.tab}&section=${section.id}`,
      };
      const fields = section.fields.map((field) => {
        const { label, help } = textsOf(field, fieldText, language);
        return {
          id: field.key,
          label,
          group: own.group,
          words: `${label} ${field.key} ${help ?? ''}`.toLowerCase(),
          query: `${own.query}&option=${encodeURIComponent(field.key)}`,
        };
      });
      return [own, ...fields];
    });
}
