/**
 * Parts of a drawer's form that buttons of their own send at once, such as budgets: what was typed into one and not sent
 * would go with the drawer, and whoever submitted that would take it for saved.
 */
import { createContext, useCallback, useContext, useEffect, useId, useMemo, useState } from 'react';

interface UnsentParts {
  readonly tell: (part: string, button: string | undefined) => void;
  /** True where nothing is left unsent; else the drawer says what is. */
  readonly check: () => boolean;
}

export const UnsentContext = createContext<UnsentParts>({ tell: () => undefined, check: () => true });

/** For a part. @param button that sends it, as people read it */
export function useUnsentPart(isUnsent: boolean, button: string): void {
  const { tell } = useContext(UnsentContext);
  const part = useId();
  useEffect(() => {
    if (!isUnsent) return undefined;
    tell(part, button);
    return () => tell(part, undefined);
  }, [isUnsent, button, part, tell]);
}

/** For what acts on the whole and closes the drawer. */
export function useUnsentCheck(): () => boolean {
  return useContext(UnsentContext).check;
}

/** For the drawer: what it hands to its parts, and the button of one that it has to speak of, anew at each try. */
export function useUnsentParts() {
  const [buttons, setButtons] = useState<ReadonlyMap<string, string>>(new Map());
  const [tries, setTries] = useState(0);
  const [first] = buttons.values();
  const isUnsent = first !== undefined;
  const tell = useCallback((part: string, button: string | undefined) => {
    setButtons((before) => {
      const next = new Map(before);
      if (button === undefined) next.delete(part);
      else next.set(part, button);
      return next;
    });
  }, []);
  const check = useCallback(() => {
    setTries((before) => (isUnsent ? before + 1 : 0));
    return !isUnsent;
  }, [isUnsent]);
  const parts = useMemo<UnsentParts>(() => ({ tell, check }), [tell, check]);
  return { parts, isUnsent, tries, button: tries > 0 ? first : undefined };
}
