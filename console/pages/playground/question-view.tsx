/** What the user said: with its attachments; it can be said in other words, from where the conversation then goes on. */
import { Button, Textarea } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { memo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/copy.tsx';
import { ActButton } from './act-button.tsx';
import { AttachmentChip } from './attachment-chip.tsx';
import type { CallParameters } from './call-parameters.ts';
import type { UserTurn } from './conversation.ts';
import type { Conversation } from './conversation-store.ts';
import classes from './message.module.css';
import { isSendKey } from './send-key.ts';
import { useRemoval } from './use-removal.ts';

export interface QuestionViewProps {
  readonly turn: UserTurn;
  readonly conversation: Conversation;
  readonly parameters: CallParameters;
  readonly isReady: boolean;
}

export const QuestionView = memo(function QuestionView(props: QuestionViewProps) {
  const { turn, conversation, parameters, isReady } = props;
  const { t } = useTranslation(['playground', 'frame']);
  const [isEdited, setEdited] = useState(false);
  const remove = useRemoval(conversation);
  if (isEdited) {
    return (
      <EditedQuestion
        text={turn.text}
        isReady={isReady}
        onCancel={() => setEdited(false)}
        onSend={(text) => {
          // It keeps its id, and with it this view.
          setEdited(false);
          conversation.edit(turn.id, text, parameters);
        }}
      />
    );
  }
  return (
    <div className={classes.question}>
      <h3 className={classes.spoken}>{t('you')}</h3>
      <div className={classes.bubble}>
        {turn.text}
        {turn.attachments.length > 0 && (
          <div className={classes.attachments}>
            {turn.attachments.map((attachment, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a sent list never changes
              <AttachmentChip key={index} attachment={attachment} />
            ))}
          </div>
        )}
      </div>
      <div className={classes.acts}>
        <CopyButton value={turn.text} label={t('message')} />
        <ActButton label={t('frame:action.edit')} onAct={() => setEdited(true)}>
          <IconPencil size={16} stroke={1.75} />
        </ActButton>
        <ActButton label={t('frame:action.delete')} onAct={() => remove(turn.id)}>
          <IconTrash size={16} stroke={1.75} />
        </ActButton>
      </div>
    </div>
  );
});

interface EditedQuestionProps {
  readonly text: string;
  readonly isReady: boolean;
  readonly onCancel: () => void;
  readonly onSend: (text: string) => void;
}

function EditedQuestion({ text, isReady, onCancel, onSend }: EditedQuestionProps) {
  const { t } = useTranslation(['playground', 'frame']);
  const [value, setValue] = useState(text);
  const field = useRef<HTMLTextAreaElement>(null);
  const canSend = isReady && value.trim() !== '';
  const send = () => {
    if (canSend) onSend(value);
  };
  return (
    <div className={classes.edit}>
      <Textarea
        ref={field}
        aria-label={t('editMessage')}
        value={value}
        autoFocus
        maxRows={16}
        onChange={(event) => setValue(event.currentTarget.value)}
        onKeyDown={(event) => {
          // Within a composition (Chinese, Japanese) it takes back that alone.
          if (event.key === 'Escape' && !event.nativeEvent.isComposing) onCancel();
          if (!isSendKey(event.nativeEvent)) return;
          event.preventDefault();
          send();
        }}
      />
      <div className={classes.editActs}>
        <Button size="xs" variant="default" onClick={onCancel}>
          {t('frame:action.cancel')}
        </Button>
        <Button size="xs" disabled={!canSend} onClick={send}>
          {t('send')}
        </Button>
      </div>
    </div>
  );
}
