/** The one or two conversations of the playground, with the parameters that are kept for the user. */
import { useEffect, useRef, useState } from 'react';
import { useUser } from '../../session/session.ts';
import { readJson, writeJson } from '../../session/storage.ts';
import { type CallParameters, keptParameters } from './call-parameters.ts';
import { Conversation } from './conversation-store.ts';

export interface Side {
  readonly parameters: CallParameters;
  readonly conversation: Conversation;
}

export interface Sides {
  /** One, or two that are compared. */
  readonly sides: readonly Side[];
  readonly change: (index: number, change: Partial<CallParameters>) => void;
  /** Sets a second side beside the first, or takes it away. */
  readonly toggleComparison: () => void;
  /** Puts other conversations in the place of these. */
  readonly replace: (sides: readonly Side[]) => void;
}

export function useSides(): Sides {
  const key = `playground:${useUser()?.id ?? 0}`;
  const [sides, setSides] = useState<readonly Side[]>(() =>
    keptParameters(readJson(key)).map((parameters) => ({ parameters, conversation: new Conversation() })),
  );
  useEffect(
    () =>
      writeJson(
        key,
        sides.map(({ parameters }) => parameters),
      ),
    [key, sides],
  );
  const open = useRef(sides);
  useEffect(() => {
    for (const { conversation } of open.current) {
      if (!sides.some((side) => side.conversation === conversation)) conversation.stop();
    }
    open.current = sides;
  }, [sides]);
  useEffect(
    () => () => {
      for (const { conversation } of open.current) conversation.stop();
    },
    [],
  );
  return {
    sides,
    change: (index, change) =>
      setSides((before) =>
        before.map((side, place) =>
          place === index ? { ...side, parameters: { ...side.parameters, ...change } } : side,
        ),
      ),
    replace: setSides,
    toggleComparison: () =>
      setSides((before) => {
        const [first, ...others] = before;
        if (!first) return before;
        return others.length > 0 ? [first] : [first, { ...first, conversation: new Conversation() }];
      }),
  };
}
