/** The names of what a question is about, as many as can be read at once. */
import type { ReactNode } from 'react';
import type { ChannelView } from '../../../daemon/contract/channels.ts';
import classes from './page.module.css';

const mostShown = 20;

/** A question with the channels it is about. */
export function disabledList(text: string, channels: readonly ChannelView[], total: number): ReactNode {
  const shown = channels.slice(0, mostShown);
  return (
    <>
      {text}
      <ul className={classes.names}>
        {shown.map(({ id, name }) => (
          <li key={id}>
            #{id} {name}
          </li>
        ))}
        {total > shown.length && <li>+{total - shown.length}</li>}
      </ul>
    </>
  );
}
