/** A list of words: each is checked when it is added. */
import { TagsInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/CloseButton.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Pill.css';
import '@mantine/core/styles/PillsInput.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import { type OptionKey, optionTable, parseOption } from '../../../daemon/contract/options.ts';
import type { ControlProps } from './control-props.ts';
import { useProblem, useSettings } from './settings-context.tsx';

/** The entries of the text of an option that is a list of words. */
function entriesOf(key: OptionKey, text: string): string[] {
  const parsed = parseOption(key, text);
  if (parsed.ok && Array.isArray(parsed.value)) return parsed.value.map(String);
  return text.split(',').filter((entry) => entry !== '');
}

function textOf(key: OptionKey, entries: readonly string[]): string {
  return optionTable[key].form === 'list' ? JSON.stringify(entries, null, 2) : entries.join(',');
}

export function TagsControl({ field, option, label, help, isDisabled }: ControlProps) {
  const { t } = useTranslation('settings');
  const { board } = useSettings();
  const problem = useProblem();
  const { key } = field;
  const isDomains = key === 'EmailDomainWhitelist';
  const entries = entriesOf(key, option.text);
  /** Of several that are pasted each is judged by itself; the first that is refused is said. */
  const change = (next: string[]) => {
    const kept = next.filter((entry) => entries.includes(entry));
    const refused: string[] = [];
    for (const entry of next.map((text) => text.trim())) {
      if (entry === '' || kept.includes(entry)) continue;
      if (problem(key, textOf(key, [...kept, entry])) === undefined) kept.push(entry);
      else refused.push(entry);
    }
    option.set(textOf(key, kept));
    const [bad] = refused;
    if (bad === undefined) board.complain(key, undefined);
    else if (!isDomains) board.complain(key, problem(key, textOf(key, [...kept, bad])));
    // A domain is the same in capitals.
    else board.complain(key, t(parseOption(key, bad).ok ? 'domain.duplicate' : 'domain.invalid'));
  };
  return (
    <TagsInput
      label={label}
      {...(help === undefined ? {} : { description: help })}
      {...(option.complaint === undefined ? {} : { error: option.complaint })}
      value={entries}
      onChange={change}
      onDuplicate={(entry) => board.complain(key, isDomains ? t('domain.duplicate') : t('tags.duplicate', { entry }))}
      splitChars={[',', ' ', '，', '\n']}
      placeholder={isDomains ? t('domain.placeholder') : t('tags.placeholder')}
      disabled={isDisabled}
      readOnly={option.isLocked}
    />
  );
}
