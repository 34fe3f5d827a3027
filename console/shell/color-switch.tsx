/** Light or dark. */
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** The kit would write a style element at each switch unless transitions are kept. */
export function useColorSwitch(): { isDark: boolean; toggle: () => void } {
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const isDark = useComputedColorScheme('light') === 'dark';
  return { isDark, toggle: () => setColorScheme(isDark ? 'light' : 'dark') };
}

export function ColorSwitch({ className }: { className: string | undefined }) {
  const { t } = useTranslation();
  const { isDark, toggle } = useColorSwitch();
  const label = isDark ? t('colorScheme.toLight') : t('colorScheme.toDark');
  const Icon = isDark ? IconSun : IconMoon;
  return (
    <button type="button" className={className} aria-label={label} data-tip={label} onClick={toggle}>
      <Icon size={18} stroke={1.75} aria-hidden />
    </button>
  );
}
