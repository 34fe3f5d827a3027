/** True once something has lasted: what is over at once should not flicker. */
import { useEffect, useState } from 'react';

export function useDelayed(isOn: boolean, ms = 150): boolean {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    if (!isOn) {
      setLong(false);
      return undefined;
    }
    const timer = setTimeout(() => setLong(true), ms);
    return () => clearTimeout(timer);
  }, [isOn, ms]);
  return isOn && isLong;
}
