/** What is loaded when it is first opened. */
import { useEffect, useState } from 'react';

/** True from the first time that the value is. */
export function useOnceTrue(value: boolean): boolean {
  const [wasTrue, setTrue] = useState(value);
  if (value && !wasTrue) setTrue(true);
  return wasTrue || value;
}

/**
 * Open from the second drawing on: the kit notes who had the focus when something opens, which it does not see of what is
 * open from the first.
 */
export function useOpenedLater(opened: boolean): boolean {
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => setDrawn(true), []);
  return isDrawn && opened;
}
