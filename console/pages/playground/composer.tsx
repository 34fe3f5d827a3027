/** The field for the next message, with files to go along. */
import { Button, Textarea } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import { IconPaperclip, IconPlayerStop, IconSend } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '../../components/toast.ts';
import { usePhone } from '../../components/use-phone.ts';
import { loadAnswerText } from './answer-view.tsx';
import { AttachmentChip } from './attachment-chip.tsx';
import { type AttachmentFault, attachmentOf } from './attachment-file.ts';
import classes from './composer.module.css';
import type { Attachment } from './conversation.ts';
import type { Question } from './conversation-store.ts';
import { isSendKey } from './send-key.ts';

export interface ComposerProps {
  readonly isReady: boolean;
  readonly isRunning: boolean;
  readonly onSend: (question: Question) => void;
  readonly onStop: () => void;
}

export function Composer({ isReady, isRunning, onSend, onStop }: ComposerProps) {
  const { t } = useTranslation('playground');
  const isPhone = usePhone();
  const [text, setText] = useState('');
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const [isMissing, setMissing] = useState(false);
  const [isOver, setOver] = useState(false);
  const files = useRef<HTMLInputElement>(null);

  const attach = async (list: Iterable<File>) => {
    for (const file of list) {
      const read = await attachmentOf(file).catch((): AttachmentFault => 'unreadable');
      if (typeof read === 'string') toast.error(t(`attach.${read}`, { name: file.name }));
      else setAttachments((before) => [...before, read]);
    }
  };
  const send = () => {
    if (!isReady || isRunning) return;
    if (text.trim() === '' && attachments.length === 0) {
      setMissing(true);
      return;
    }
    onSend({ text, attachments });
    setText('');
    setAttachments([]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files are dropped here; the button does the same
    <div
      className={classes.composer}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        // Words that are dragged are the field's own matter.
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(false);
        void attach([...event.dataTransfer.files]);
      }}
    >
      {attachments.length > 0 && (
        <div className={classes.files}>
          {attachments.map((attachment, index) => (
            <AttachmentChip
              // biome-ignore lint/suspicious/noArrayIndexKey: two files may be the same
              key={index}
              attachment={attachment}
              onRemove={() => setAttachments(attachments.filter((_, place) => place !== index))}
            />
          ))}
        </div>
      )}
      <div className={classes.line}>
        <input
          ref={files}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            const chosen = [...(event.currentTarget.files ?? [])];
            event.currentTarget.value = '';
            void attach(chosen);
          }}
        />
        <button
          type="button"
          className={classes.attach}
          aria-label={t('attach.add')}
          title={t('attach.add')}
          onClick={() => files.current?.click()}
        >
          <IconPaperclip size={20} stroke={1.75} />
        </button>
        <Textarea
          className={classes.field ?? ''}
          aria-label={t('message')}
          placeholder={isPhone ? t('placeholderShort') : t('placeholder')}
          value={text}
          minRows={1}
          maxRows={10}
          error={isMissing ? t('missing') : undefined}
          onFocus={() => void loadAnswerText()}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setMissing(false);
          }}
          onPaste={(event) => {
            const { types } = event.clipboardData;
            // Spreadsheets and word processors bring a picture of the words along.
            const isText = types.includes('text/plain') && types.includes('text/html');
            const pasted = isText ? [] : [...event.clipboardData.files];
            if (pasted.length === 0) return;
            event.preventDefault();
            void attach(pasted);
          }}
          onKeyDown={(event) => {
            if (!isSendKey(event.nativeEvent)) return;
            event.preventDefault();
            send();
          }}
        />
        {isRunning ? (
          <Button
            variant="default"
            leftSection={<IconPlayerStop size={16} stroke={1.75} />}
            onClick={({ detail }) => {
              // It stands where "send" stood: the second half of a double click on that is meant for nobody.
              if (detail < 2) onStop();
            }}
          >
            {t('stop')}
          </Button>
        ) : (
          <Button disabled={!isReady} leftSection={<IconSend size={16} stroke={1.75} />} onClick={send}>
            {t('send')}
          </Button>
        )}
      </div>
    </div>
  );
}
