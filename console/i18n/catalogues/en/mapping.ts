import type { TextsLike } from '../../texts-like.ts';
import type { texts as zh } from '../zh/mapping.ts';

export const texts: TextsLike<typeof zh> = {
  view: 'How to edit: {label}',
  table: 'Table',
  from: 'Row {place}: from',
  to: 'Row {place}: to',
  fromName: 'Model asked for',
  toName: 'Model called',
  remove: 'Remove row {place}',
  add: 'Add a row',
  long: 'More than {most} rows can be edited as JSON only',
  repeated: '{name} is there more than once: row {place} counts, the last one',
  repeatedLine: '{name} is there more than once: line {place} counts, the last one',
  loop: 'The mapping goes round in a circle: {names}',
};
