/** A file that goes along with a message. */
import { IconFileText, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Attachment } from './conversation.ts';
import classes from './message.module.css';

export interface AttachmentChipProps {
  readonly attachment: Attachment;
  readonly onRemove?: () => void;
}

export function AttachmentChip({ attachment, onRemove }: AttachmentChipProps) {
  const { t } = useTranslation('playground');
  const { kind, name, content } = attachment;
  return (
    <span className={classes.chip}>
      {kind === 'image' ? (
        <img src={content} alt={name} className={classes.thumbnail} />
      ) : (
        <>
          <IconFileText size={16} stroke={1.75} />
          <span className={classes.fileName} title={name}>
            {name}
          </span>
        </>
      )}
      {onRemove && (
        <button
          type="button"
          className={classes.act}
          aria-label={t('attach.remove', { name })}
          title={t('attach.remove', { name })}
          onClick={onRemove}
        >
          <IconX size={14} stroke={1.75} />
        </button>
      )}
    </span>
  );
}
