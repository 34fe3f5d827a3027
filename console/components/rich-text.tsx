/**
 * Text with markup (console.md 7.16, 8): Markdown of models, providers and users, where HTML is only text; or Markdown
 * and HTML of administrators, with what could cover or leave the page taken out. The reader of it is loaded when needed.
 */
import { Skeleton } from '@mantine/core';
import { Suspense } from 'react';
import '@mantine/core/styles/Skeleton.css';
import { lazyPart } from './late-part.tsx';

const UntrustedText = lazyPart(() =>
  import('./rich-untrusted.tsx').then((module) => ({ default: module.UntrustedText })),
);
const AdminText = lazyPart(() => import('./rich-admin.tsx').then((module) => ({ default: module.AdminText })));

export interface RichTextProps {
  readonly text: string;
  /** Who wrote it; `untrusted` when absent. */
  readonly kind?: 'untrusted' | 'admin';
}

export function RichText({ text, kind = 'untrusted' }: RichTextProps) {
  return (
    <Suspense fallback={<Skeleton height={60} />}>
      {kind === 'admin' ? <AdminText text={text} /> : <UntrustedText text={text} />}
    </Suspense>
  );
}
