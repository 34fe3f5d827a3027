/** `useLeave()(address)`: opens another page from a key, a menu or the palette, once unsaved work may be lost. */
import { useCallback } from 'react';
import { useNavigate } from 'react-router-dom';
import { mayLeave } from '../session/unsaved-work.ts';

export function useLeave(): (address: string) => void {
  const navigate = useNavigate();
  return useCallback(
    (address) => {
      void mayLeave().then((isFree) => {
        if (isFree) navigate(address);
      });
    },
    [navigate],
  );
}
