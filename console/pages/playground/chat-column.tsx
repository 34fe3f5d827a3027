/** One conversation: its messages, which follow their end while the reader is there. */

import { Button } from '@mantine/core';
import { IconArrowDown, IconEraser, IconMessages, IconPlayerStop } from '@tabler/icons-react';
import '@mantine/core/styles/Button.css';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/section.tsx';
import { useStore } from '../../session/store.ts';
import { AnswerView } from './answer-view.tsx';
import classes from './chat-column.module.css';
import { hasRunning, type Turns } from './conversation.ts';
import { CutLine } from './cut-line.tsx';
import { useFollowedEnd } from './followed-end.ts';
import { QuestionView } from './question-view.tsx';
import type { Side } from './use-sides.ts';
import { wordCount } from './word-count.ts';

export interface ChatColumnProps {
  readonly side: Side;
  readonly name: string;
  readonly isReady: boolean;
  readonly isCompared: boolean;
}

export function ChatColumn({ side, name, isReady, isCompared }: ChatColumnProps) {
  const { t } = useTranslation('playground');
  const { conversation, parameters } = side;
  const turns = useStore(conversation.turns);
  const isRunning = hasRunning(turns);
  const list = useRef<HTMLDivElement>(null);
  const { isAtEnd, goToEnd } = useFollowedEnd(list, turns);
  return (
    <div className={classes.column}>
      <div className={classes.head}>
        <h2 className={classes.model} title={name}>
          {name}
        </h2>
        {isCompared && isRunning && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlayerStop size={14} stroke={1.75} />}
            onClick={() => conversation.stop()}
          >
            {t('stop')}
          </Button>
        )}
        <Button
          size="xs"
          variant="subtle"
          leftSection={<IconEraser size={16} stroke={1.75} />}
          disabled={turns.length === 0 || isRunning}
          onClick={() => conversation.clearContext()}
        >
          {t('clear')}
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard */}
      <div className={classes.scroll} ref={list} tabIndex={0} role="log" aria-live="off" aria-label={name}>
        {turns.length === 0 ? (
          <EmptyState text={t('empty')} icon={<IconMessages size={32} stroke={1.5} />} />
        ) : (
          <ol className={classes.turns}>
            {turns.map((turn) => (
              <li key={turn.id} className={classes.turn} data-kind={turn.kind}>
                {turn.kind === 'cut' && <CutLine onRemove={() => conversation.remove(turn.id)} />}
                {turn.kind === 'user' && (
                  <QuestionView turn={turn} conversation={conversation} parameters={parameters} isReady={isReady} />
                )}
                {turn.kind === 'answer' && (
                  <AnswerView
                    turn={turn}
                    conversation={conversation}
                    parameters={parameters}
                    canRetry={isReady && !isRunning}
                  />
                )}
              </li>
            ))}
          </ol>
        )}
      </div>
      {!isAtEnd && (
        <Button
          className={classes.toEnd ?? ''}
          size="xs"
          variant="default"
          leftSection={<IconArrowDown size={14} stroke={1.75} />}
          onClick={goToEnd}
        >
          {t('toEnd')}
        </Button>
      )}
      <Announcement turns={turns} isRunning={isRunning} />
    </div>
  );
}

/** Said once, when an answer is whole; its words are not read out while they come in. */
function Announcement({ turns, isRunning }: { readonly turns: Turns; readonly isRunning: boolean }) {
  const { t } = useTranslation('playground');
  const [text, setText] = useState('');
  const wasRunning = useRef(false);
  useEffect(() => {
    if (wasRunning.current && !isRunning) {
      const last = turns.findLast((turn) => turn.kind === 'answer');
      const answer = last?.kind === 'answer' ? last.tries[last.shown] : undefined;
      setText(
        answer?.state === 'complete' ? t('announce.complete', { count: wordCount(answer.text) }) : t('announce.ended'),
      );
    }
    if (isRunning && !wasRunning.current) setText('');
    wasRunning.current = isRunning;
  }, [isRunning, turns, t]);
  return (
    <div className={classes.spoken} aria-live="polite">
      {text}
    </div>
  );
}
