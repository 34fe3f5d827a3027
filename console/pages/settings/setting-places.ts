/** Every section and option of the settings by its words, with the address that leads there: what searches look through. */
import i18next, { type TFunction } from 'i18next';
import type { Language } from '../../../daemon/contract/error-codes.ts';
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
  readonly language: Language;
}

/** The places by their names in this language, found by those in the other as well: a guide may be written in either. */
export async function placesOf(language: Language, isRoot: boolean): Promise<readonly SettingPlace[]> {
  const [texts, other] = await Promise.all([textsIn(language), textsIn(language === 'en' ? 'zh' : 'en')]);
  return settingPlaces(texts, isRoot, other);
}

async function textsIn(language: Language): Promise<PlaceTexts> {
  const missing = ['settings', 'settings-fields'].filter((name) => !i18next.hasResourceBundle(language, name));
  if (missing.length > 0) await i18next.reloadResources([language], missing);
  return {
    t: i18next.getFixedT(language, 'settings'),
    fieldText: i18next.getFixedT(language, 'settings-fields'),
    language,
  };
}

/**
 * @param isRoot whether the sections of the super administrator are among them
 * @param other texts of the other language, by which places are found as well
 */
export function settingPlaces(texts: PlaceTexts, isRoot: boolean, other?: PlaceTexts): readonly SettingPlace[] {
  const others = other ? new Map(placesIn(other, isRoot).map(({ id, words }) => [id, words])) : undefined;
  return placesIn(texts, isRoot).map((place) => ({ ...place, words: `${place.words} ${others?.get(place.id) ?? ''}` }));
}

function placesIn({ t, fieldText, language }: PlaceTexts, isRoot: boolean): readonly SettingPlace[] {
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
