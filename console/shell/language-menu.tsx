/** The languages, each in its own words. */
import { Menu } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { currentLanguage, switchLanguage } from '../i18n/index.ts';
import type { BarMenuBodyProps } from './bar-menu.tsx';
import { BarMenuFrame } from './bar-menu-frame.tsx';

const languages = [
  { code: 'zh', name: '中文' },
  { code: 'en', name: 'English' },
] as const;

/** The languages as items of a menu. */
export function LanguageItems() {
  // For being drawn anew when the language changes.
  useTranslation();
  return (
    <Menu.RadioGroup value={currentLanguage()} onChange={(code) => void switchLanguage(code === 'en' ? 'en' : 'zh')}>
      {languages.map(({ code, name }) => (
        <Menu.RadioItem
          key={code}
          value={code}
          lang={code}
          closeMenuOnClick
          checkIcon={<IconCheck size={16} stroke={1.75} />}
        >
          {name}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}

export function LanguageMenu(props: BarMenuBodyProps) {
  return (
    <BarMenuFrame {...props}>
      <LanguageItems />
    </BarMenuFrame>
  );
}
