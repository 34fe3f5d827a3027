/** What a call does, as its contract tells it: what stands between backticks is code. */
import { Fragment } from 'react';

/** Every second piece is code; neighbours may be empty. */
export const pieces = (text: string): readonly string[] => {
  const parts = text.split('`');
  // A backtick without its partner is itself.
  return parts.length % 2 === 1 ? parts : [text];
};

export function SummaryText({ text }: { readonly text: string }) {
  return pieces(text).map((piece, place) => {
    const key = `${place} ${piece}`;
    return place % 2 === 1 ? <code key={key}>{piece}</code> : <Fragment key={key}>{piece}</Fragment>;
  });
}
