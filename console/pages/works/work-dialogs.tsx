/** What a cell of a work opens: a whole text, its JSON, its image, its songs. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import { useCopy } from '../../components/copy.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { JsonViewer } from '../../components/json-viewer.tsx';
import { SongDialog } from './song-dialog.tsx';
import type { SongPiece } from './song-result.ts';
import classes from './works.module.css';

/** What is open. */
export type Opened =
  | { readonly kind: 'text'; readonly title: string; readonly text: string }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'songs'; readonly pieces: readonly SongPiece[] }
  | { readonly kind: 'image'; readonly url: string; readonly prompt: string };

interface WorkDialogProps {
  readonly opened: Opened;
  readonly onClose: () => void;
}

export function WorkDialog({ opened, onClose }: WorkDialogProps) {
  const { t } = useTranslation('works');
  if (opened.kind === 'text') return <TextDialog {...opened} onClose={onClose} />;
  if (opened.kind === 'songs') return <SongDialog pieces={opened.pieces} onClose={onClose} />;
  if (opened.kind === 'image') return <ImageDialog {...opened} onClose={onClose} />;
  return (
    <Dialog opened onClose={onClose} title={t('dialog.json')} size={720}>
      <JsonViewer value={opened.value} label={t('dialog.json')} />
    </Dialog>
  );
}

interface TextDialogProps {
  readonly title: string;
  readonly text: string;
  readonly onClose: () => void;
}

function TextDialog({ title, text, onClose }: TextDialogProps) {
  const { t } = useTranslation('frame');
  const copy = useCopy();
  return (
    <Dialog
      opened
      onClose={onClose}
      title={title}
      footer={<Button onClick={() => void copy(text, { label: title })}>{t('action.copy')}</Button>}
    >
      <p className={classes.text}>{text}</p>
    </Dialog>
  );
}

interface ImageDialogProps {
  readonly url: string;
  readonly prompt: string;
  readonly onClose: () => void;
}

function ImageDialog({ url, prompt, onClose }: ImageDialogProps) {
  const { t } = useTranslation('works');
  const [isZoomed, setZoomed] = useState(false);
  const [isBroken, setBroken] = useState(false);
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('column.image')}
      size={960}
      footer={
        <>
          <Button variant="default" aria-pressed={isZoomed} disabled={isBroken} onClick={() => setZoomed(!isZoomed)}>
            {isZoomed ? t('image.fit') : t('image.zoom')}
          </Button>
          <Button component="a" variant="default" href={url} download rel="noopener noreferrer" target="_blank">
            {t('image.download')}
          </Button>
          <Button component="a" href={url} rel="noopener noreferrer" target="_blank">
            {t('image.open')}
          </Button>
        </>
      }
    >
      {isBroken ? (
        <p className={classes.dim} role="alert">
          {t('image.broken')}
        </p>
      ) : (
        <section
          className={classes.frame}
          data-zoomed={isZoomed || undefined}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls when enlarged, also by the keyboard
          tabIndex={0}
          aria-label={t('column.image')}
        >
          <img src={url} alt={prompt} referrerPolicy="no-referrer" onError={() => setBroken(true)} />
        </section>
      )}
    </Dialog>
  );
}
