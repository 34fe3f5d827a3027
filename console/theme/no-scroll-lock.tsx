/**
 * Stands in the bundle for `react-remove-scroll`, which the kit's dialogs bring along: it writes style elements, which the
 * policy forbids, so every dialog is told to do without (component-defaults.ts) and a rule of global.css keeps the page still.
 */
import type { ReactNode } from 'react';

export function RemoveScroll({ children }: { readonly children?: ReactNode }) {
  return <div>{children}</div>;
}

/** Classes of what stands at the edge of the window, which would move while the page behind is locked. */
RemoveScroll.classNames = { fullWidth: '', zeroRight: '' };
