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

/** The name of a button that saves something of this title; Chinese has a blank before a Latin word. */
export function useSaveLabel(): (title: string) => string {
  const { t, i18n } = useTranslation('settings');
  return (title) => t('save.section', { title: i18n.language === 'zh' && /^\w/.test(title) ? ` ${title}` : title });
}
