import type { TextsLike } from '../../texts-like.ts';
import type { texts as zh } from '../zh/overtaken.ts';

export const texts: TextsLike<typeof zh> = {
  title: 'Changed by someone else meanwhile',
  verb: 'Overwrite',
  takeTheirs: 'Take theirs',
  member: '{label}: ',
  yes: 'Yes',
  no: 'No',
  empty: '(empty)',
};
