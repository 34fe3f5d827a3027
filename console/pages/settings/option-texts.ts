/** The words of an option: its label, help and warning in the language of the page. */
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { optionTable } from '../../../daemon/contract/options.ts';
import type { FieldEntry } from './section-entry.ts';

export interface OptionTexts {
  readonly label: string;
  readonly help: string | undefined;
  readonly warning: string | undefined;
}

export function textsOf(field: FieldEntry, t: TFunction<'settings-fields'>, language: string): OptionTexts {
  const own = optionTable[field.key].label;
  return {
    label: field.label ? t(`label.${field.label}`) : own[language === 'en' ? 'en' : 'zh'],
    help: field.help && t(`help.${field.help}`),
    warning: field.warning && t(`warning.${field.warning}`),
  };
}

export function useOptionTexts(field: FieldEntry): OptionTexts {
  const { t, i18n } = useTranslation('settings-fields');
  return textsOf(field, t, i18n.language);
}

/**
 * Of a button that saves something of this title. English shows the verb alone, since a title behind it reads as part of
 * a sentence; the name that is read out says it whole. Chinese has a blank before a Latin word.
 */
export function useSaveLabel(): (title: string) => { readonly children: string; readonly 'aria-label': string } {
  const { t, i18n } = useTranslation(['settings', 'frame']);
  return (title) => {
    const isChinese = i18n.language === 'zh';
    const name = t('save.section', { title: isChinese && /^\w/.test(title) ? ` ${title}` : title });
    return { children: isChinese ? name : t('frame:action.save'), 'aria-label': name };
  };
}
