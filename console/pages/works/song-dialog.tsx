/** The songs and lyrics of a task (console.md 6.16): nothing is loaded before somebody listens. */
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../components/dialog.tsx';
import type { SongPiece } from './song-result.ts';
import classes from './works.module.css';

interface SongDialogProps {
  readonly pieces: readonly SongPiece[];
  readonly onClose: () => void;
}

export function SongDialog({ pieces, onClose }: SongDialogProps) {
  const { t } = useTranslation('works');
  return (
    <Dialog opened onClose={onClose} title={t('column.result')} size={720}>
      {pieces.map((piece, at) => (
        <Piece key={piece.id} piece={piece} title={piece.title || t('song.untitled', { number: at + 1 })} />
      ))}
    </Dialog>
  );
}

function Piece({ piece, title }: { readonly piece: SongPiece; readonly title: string }) {
  const { t } = useTranslation('works');
  const { audio, video, text } = piece;
  return (
    <section className={classes.piece} aria-label={title}>
      <h3>{title}</h3>
      {audio !== '' && (
        // biome-ignore lint/a11y/useMediaCaption: a song's words stand below it, where its server tells them
        <audio controls preload="none" src={audio} aria-label={title} className={classes.player} />
      )}
      <p className={classes.links}>
        {audio !== '' && <Outside address={audio} label={t('song.audio')} />}
        {video !== '' && <Outside address={video} label={t('song.video')} />}
      </p>
      {text !== '' && <p className={classes.text}>{text}</p>}
    </section>
  );
}

function Outside({ address, label }: { readonly address: string; readonly label: string }) {
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {label}
    </a>
  );
}
