/**
 * A button of the top bar whose menu is loaded when the page has come to rest, or at once when it is pressed before. The
 * button stays the same element meanwhile, so that it does not lose the focus.
 */
import { type ComponentType, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { lazyLate } from '../session/late-code.ts';
import classes from './bar-menu.module.css';
import { useIdle } from './use-idle.ts';

export interface BarMenuBodyProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly label: string;
  /** Where the menu hangs: an empty place as large as the button. */
  readonly placeClass: string | undefined;
}

export interface BarMenuProps {
  readonly label: string;
  readonly className: string | undefined;
  readonly children: ReactNode;
  readonly load: () => Promise<{ default: ComponentType<BarMenuBodyProps> }>;
  readonly onOpen?: () => void;
  /** What opens; a menu when absent. */
  readonly kind?: 'menu' | 'dialog';
}

export function BarMenu({ label, className, children, load, onOpen, kind = 'menu' }: BarMenuProps) {
  const [opened, setOpened] = useState(false);
  const isIdle = useIdle();
  const [Body] = useState(() => lazyLate(load));
  const [isWanted, setWanted] = useState(false);
  // Pressing the button while the menu is open closes it from outside first; the click must not open it again.
  const wasOpen = useRef(false);
  useEffect(() => {
    if (isIdle) setWanted(true);
  }, [isIdle]);
  return (
    <span className={classes.place}>
      <button
        type="button"
        className={className}
        aria-label={label}
        aria-haspopup={kind}
        aria-expanded={opened}
        data-tip={opened ? undefined : label}
        onPointerDown={() => {
          wasOpen.current = opened;
        }}
        onClick={() => {
          const isOpening = !wasOpen.current && !opened;
          wasOpen.current = false;
          setWanted(true);
          setOpened(isOpening);
          if (isOpening) onOpen?.();
        }}
      >
        {children}
      </button>
      {isWanted && (
        <Suspense fallback={null}>
          <Body opened={opened} onClose={() => setOpened(false)} label={label} placeClass={classes.anchor} />
        </Suspense>
      )}
    </span>
  );
}
