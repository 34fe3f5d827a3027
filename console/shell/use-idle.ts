import { useEffect, useState } from 'react';

/** True once the page has come to rest: what is not seen at once is loaded then. */
export function useIdle(): boolean {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    if (typeof requestIdleCallback === 'undefined') {
      const timer = setTimeout(() => setIdle(true), 1500);
      return () => clearTimeout(timer);
    }
    const handle = requestIdleCallback(() => setIdle(true), { timeout: 3000 });
    return () => cancelIdleCallback(handle);
  }, []);
  return isIdle;
}
