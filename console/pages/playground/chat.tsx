/** The right part of the playground: what was said, on one side or on two, and the field for what is said next. */
import { SegmentedControl } from '@mantine/core';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/SegmentedControl.css';
import { useHotkeys } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { usePhone } from '../../components/use-phone.ts';
import { ChatColumn } from './chat-column.tsx';
import { Composer } from './composer.tsx';
import classes from './playground-page.module.css';
import { sideName } from './side-name.ts';
import type { Side } from './use-sides.ts';
import { useIsAnyRunning } from './use-turns.ts';

export interface ChatProps {
  readonly sides: readonly Side[];
  /** False until it is known what can be called. */
  readonly isReady: boolean;
  /** The side that a phone shows. */
  readonly place: number;
  readonly onPlace: (place: number) => void;
}

export function Chat({ sides, isReady, place, onPlace }: ChatProps) {
  const { t } = useTranslation('playground');
  const isPhone = usePhone();
  const isRunning = useIsAnyRunning(sides);
  const stop = () => {
    for (const { conversation } of sides) conversation.stop();
  };
  useHotkeys([['mod+.', stop]], []);
  const isComparing = sides.length > 1;
  const shown = isPhone ? sides.slice(place, place + 1) : sides;
  return (
    <section className={classes.chat} aria-label={t('chat')}>
      {isPhone && isComparing && (
        <SegmentedControl
          fullWidth
          className={classes.tabs ?? ''}
          aria-label={t('compare.side')}
          value={String(place)}
          onChange={(value) => onPlace(Number(value))}
          data={sides.map(({ parameters }, index) => ({
            value: String(index),
            label: sideName(index, parameters.model),
          }))}
        />
      )}
      <div className={classes.columns}>
        {shown.map((side) => (
          <ChatColumn
            key={sides.indexOf(side)}
            side={side}
            name={isComparing ? sideName(sides.indexOf(side), side.parameters.model) : side.parameters.model}
            isReady={isReady}
            isCompared={isComparing}
          />
        ))}
      </div>
      <Composer
        isReady={isReady}
        isRunning={isRunning}
        onStop={stop}
        onSend={(question) => {
          for (const { conversation, parameters } of sides) conversation.ask(question, parameters);
        }}
      />
    </section>
  );
}
