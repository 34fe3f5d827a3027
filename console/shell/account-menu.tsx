/** What hangs below the user's name. */
import { Menu } from '@mantine/core';
import { IconLogout, IconMoon, IconSun, IconUserCircle, IconWallet } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import { usePhone } from '../components/use-phone.ts';
import type { BarMenuBodyProps } from './bar-menu.tsx';
import { BarMenuFrame } from './bar-menu-frame.tsx';
import { useColorSwitch } from './color-switch.tsx';
import { LanguageItems } from './language-menu.tsx';
import { signOut } from './sign-out.ts';

/** Colours and language, for which phones have no room beside the balance. */
function Look() {
  const { t } = useTranslation();
  const { isDark, toggle } = useColorSwitch();
  const Icon = isDark ? IconSun : IconMoon;
  return (
    <>
      <Menu.Divider />
      <Menu.Item leftSection={<Icon size={16} stroke={1.75} />} onClick={toggle}>
        {isDark ? t('colorScheme.toLight') : t('colorScheme.toDark')}
      </Menu.Item>
      <LanguageItems />
    </>
  );
}

export function AccountMenu(props: BarMenuBodyProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const isPhone = usePhone();
  const leave = async () => {
    if (await signOut()) navigate('/login');
  };
  return (
    <BarMenuFrame {...props}>
      <Menu.Item component={Link} to="/personal" leftSection={<IconUserCircle size={16} stroke={1.75} />}>
        {t('page.personal')}
      </Menu.Item>
      <Menu.Item component={Link} to="/topup" leftSection={<IconWallet size={16} stroke={1.75} />}>
        {t('page.wallet')}
      </Menu.Item>
      {isPhone && <Look />}
      <Menu.Divider />
      <Menu.Item leftSection={<IconLogout size={16} stroke={1.75} />} onClick={() => void leave()}>
        {t('action.signOut')}
      </Menu.Item>
    </BarMenuFrame>
  );
}
