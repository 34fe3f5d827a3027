/** What hangs below the user's name. */
import { Menu } from '@mantine/core';
import { IconLogout, IconUserCircle, IconWallet } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import type { BarMenuBodyProps } from './bar-menu.tsx';
import { BarMenuFrame } from './bar-menu-frame.tsx';
import { signOut } from './sign-out.ts';

export function AccountMenu(props: BarMenuBodyProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
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
      <Menu.Divider />
      <Menu.Item leftSection={<IconLogout size={16} stroke={1.75} />} onClick={() => void leave()}>
        {t('action.signOut')}
      </Menu.Item>
    </BarMenuFrame>
  );
}
