import type { ReactNode } from 'react';

export function PageBoundary({ children }: { children: ReactNode }) {
  return children;
}
