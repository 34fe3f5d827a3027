import { useState } from 'react';

/** True from the first time that the value is. */
export function useOnceTrue(value: boolean): boolean {
  const [wasTrue, setTrue] = useState(value);
  if (value && !wasTrue) setTrue(true);
  return wasTrue || value;
}
