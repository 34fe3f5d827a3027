/**
 * Short messages over the page (console.md 4.7): `toast.success(text, { undo })`. The kit's notifications are loaded with
 * the first of them.
 */

import type { ReactNode } from 'react';
import { loadLate } from '../session/late-code.ts';
import { Store } from '../session/store.ts';

export interface ToastOptions {
  /** The inverse call; offered for 8 seconds. */
  readonly undo?: () => void | Promise<void>;
  /** Shown small, to be copied. */
  readonly requestId?: string | undefined;
  /** Instead of the kind's own time: until it is closed. */
  readonly isLasting?: boolean;
  /** Below the text: a link, for instance. */
  readonly extra?: ReactNode;
}

export interface Toast extends ToastOptions {
  readonly kind: 'success' | 'error' | 'info';
  readonly text: string;
}

/** True once something was to be shown. */
export const isToastBoardWanted = new Store(false);

function show(kind: Toast['kind'], text: string, options?: ToastOptions): void {
  isToastBoardWanted.set(true);
  void loadLate(() => import('./toast-board.tsx')).then(({ post }) => post({ ...options, kind, text }));
}

/** What one account was told is not for the next; nor is the way back from what it did. */
export function dropToasts(): void {
  if (isToastBoardWanted.get()) void loadLate(() => import('./toast-board.tsx')).then(({ clear }) => clear());
}

export const toast = {
  success: (text: string, options?: ToastOptions): void => show('success', text, options),
  error: (text: string, options?: ToastOptions): void => show('error', text, options),
  info: (text: string, options?: ToastOptions): void => show('info', text, options),
};
