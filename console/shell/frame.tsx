/** The frame around a page. */
import type { ReactNode } from 'react';
import type { PageEntry } from '../pages.tsx';

export function Frame({ children }: { entry: PageEntry; children: ReactNode }) {
  return <main>{children}</main>;
}
