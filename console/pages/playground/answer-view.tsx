/** An answer: the shown try at it, how it came out, and what can be done with it. */
import { Menu } from '@mantine/core';
import '@mantine/core/styles/Menu.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/UnstyledButton.css';
import { IconChevronLeft, IconChevronRight, IconCopy, IconRefresh, IconTrash } from '@tabler/icons-react';
import { memo, Suspense, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useCopy } from '../../components/copy.tsx';
import { Tag } from '../../components/tag.tsx';
import { lazyLate } from '../../session/late-code.ts';
import { ActButton } from './act-button.tsx';
import { AnswerFailure } from './answer-failure.tsx';
import { AnswerFigures } from './answer-figures.tsx';
import type { CallParameters } from './call-parameters.ts';
import { type AnswerTurn, isRunning, shownTry } from './conversation.ts';
import type { Conversation } from './conversation-store.ts';
import classes from './message.module.css';
import { useRemoval } from './use-removal.ts';

const AnswerText = lazyLate(() => loadAnswerText().then((module) => ({ default: module.AnswerText })));

/** The reader of Markdown; fetched ahead while the first question is written. */
export const loadAnswerText = () => import('./answer-text.tsx');

export interface AnswerViewProps {
  readonly turn: AnswerTurn;
  readonly conversation: Conversation;
  readonly parameters: CallParameters;
  readonly canRetry: boolean;
}

export const AnswerView = memo(function AnswerView({ turn, conversation, parameters, canRetry }: AnswerViewProps) {
  const { t } = useTranslation(['playground', 'frame']);
  const remove = useRemoval(conversation);
  const text = useRef<HTMLDivElement>(null);
  const answer = shownTry(turn);
  const retry = () => conversation.retry(turn.id, parameters);
  return (
    <div className={classes.answer} aria-busy={isRunning(answer)}>
      <h3 className={classes.model}>
        {answer.model}
        {answer.state === 'stopped' && <Tag tone="grey">{t('stopped')}</Tag>}
      </h3>
      {answer.reasoning !== '' && (
        <details className={classes.reasoning}>
          <summary>{t('reasoning')}</summary>
          <div className={classes.reasoningText}>{answer.reasoning}</div>
        </details>
      )}
      {answer.state === 'loading' && (
        <span className={classes.dots} role="img" aria-label={t('frame:state.loading')}>
          <i />
          <i />
          <i />
        </span>
      )}
      <div ref={text}>
        {answer.text !== '' && (
          <Suspense fallback={<div className={classes.plain}>{answer.text}</div>}>
            <AnswerText text={answer.text} isGrowing={isRunning(answer)} />
          </Suspense>
        )}
        {answer.toolCalls.map((call, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: calls are only ever added
          <div key={index} className={classes.tool}>
            <code>{call.name}</code>
            <pre>{call.arguments}</pre>
          </div>
        ))}
      </div>
      {answer.state === 'complete' && answer.text === '' && answer.toolCalls.length === 0 && (
        <p className={classes.nothing}>{t('nothing')}</p>
      )}
      {answer.failure && <AnswerFailure failure={answer.failure} requestId={answer.requestId} />}
      {!isRunning(answer) && (
        <div className={classes.acts}>
          {turn.tries.length > 1 && (
            <span className={classes.tries}>
              <ActButton
                label={t('tries.previous')}
                disabled={turn.shown === 0}
                onAct={() => conversation.show(turn.id, turn.shown - 1)}
              >
                <IconChevronLeft size={16} stroke={1.75} />
              </ActButton>
              <span>
                {turn.shown + 1}/{turn.tries.length}
              </span>
              <ActButton
                label={t('tries.next')}
                disabled={turn.shown === turn.tries.length - 1}
                onAct={() => conversation.show(turn.id, turn.shown + 1)}
              >
                <IconChevronRight size={16} stroke={1.75} />
              </ActButton>
            </span>
          )}
          {answer.text !== '' && (
            <CopyMenu markdown={answer.text} plain={() => text.current?.innerText.trim() ?? answer.text} />
          )}
          <ActButton label={t('frame:action.retry')} disabled={!canRetry} onAct={retry}>
            <IconRefresh size={16} stroke={1.75} />
          </ActButton>
          <ActButton label={t('frame:action.delete')} onAct={() => remove(turn.id)}>
            <IconTrash size={16} stroke={1.75} />
          </ActButton>
          <AnswerFigures answer={answer} />
        </div>
      )}
    </div>
  );
});

function CopyMenu({ markdown, plain }: { readonly markdown: string; readonly plain: () => string }) {
  const { t } = useTranslation(['playground', 'frame']);
  const copy = useCopy();
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <button
          type="button"
          className={classes.act}
          aria-label={t('frame:action.copy')}
          title={t('frame:action.copy')}
        >
          <IconCopy size={16} stroke={1.75} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void copy(markdown)}>{t('copy.markdown')}</Menu.Item>
        <Menu.Item onClick={() => void copy(plain())}>{t('copy.text')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
