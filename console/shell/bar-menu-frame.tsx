/** The kit's menu, hung onto a button that is not part of it; loaded with the first menu. */
import { Menu } from '@mantine/core';
import type { ReactNode, Ref } from 'react';
import '@mantine/core/styles/Menu.css';
import '@mantine/core/styles/Paper.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/UnstyledButton.css';
import type { BarMenuBodyProps } from './bar-menu.tsx';
import { useOpenedLater } from './opened-late.ts';

/** Takes the place but none of the attributes: those are the button's. */
export function Anchor({ ref, place }: { ref?: Ref<HTMLSpanElement>; place: string | undefined }) {
  return <span ref={ref} className={place} aria-hidden />;
}

export function BarMenuFrame({
  opened,
  onClose,
  label,
  placeClass,
  children,
}: BarMenuBodyProps & { children: ReactNode }) {
  return (
    <Menu opened={useOpenedLater(opened)} onClose={onClose} trapFocus>
      <Menu.Target>
        <Anchor place={placeClass} />
      </Menu.Target>
      <Menu.Dropdown aria-label={label}>{children}</Menu.Dropdown>
    </Menu>
  );
}
