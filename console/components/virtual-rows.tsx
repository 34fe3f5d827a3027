/** Only the rows in sight, for tables of more than a hundred; a chunk of its own. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { Fragment, type ReactNode, type RefObject } from 'react';
import classes from './data-table.module.css';

export interface VirtualRowsProps {
  readonly count: number;
  readonly height: number;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly render: (index: number) => ReactNode;
  readonly keyOf: (index: number) => string;
  readonly span: number;
}

export function VirtualRows({ count, height, scroller, render, keyOf, span }: VirtualRowsProps) {
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
    getItemKey: keyOf,
  });
  const items = virtualizer.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0);
  const space = (size: number) =>
    size > 0 && (
      <tr className={classes.space}>
        <td colSpan={span} style={{ height: size }} />
      </tr>
    );
  return (
    <>
      {space(before)}
      {items.map(({ index, key }) => (
        <Fragment key={key}>{render(index)}</Fragment>
      ))}
      {space(after)}
    </>
  );
}
