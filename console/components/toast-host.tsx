import { Suspense } from 'react';
import { lazyLate } from '../session/late-code.ts';
import { useStore } from '../session/store.ts';
import { isToastBoardWanted } from './toast.ts';

const ToastBoard = lazyLate(() => import('./toast-board.tsx').then((module) => ({ default: module.ToastBoard })));

/** Where toasts appear; mounted once around the pages. */
export function ToastHost() {
  return useStore(isToastBoardWanted) ? (
    <Suspense fallback={null}>
      <ToastBoard />
    </Suspense>
  ) : null;
}
