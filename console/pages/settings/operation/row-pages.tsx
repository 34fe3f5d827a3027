/** Pages of a table that is typed into: hundreds of fields on one take seconds to open, and each key as long to show. */
import { type ReactNode, useState } from 'react';
import { Pager } from '../../../components/pager.tsx';

const size = 50;

/** @param names of all rows, in their order; the page of one that was added is opened */
export function useRowPages(names: readonly string[]): { shown: [number, number]; pager: ReactNode } {
  const [chosen, setPage] = useState(1);
  const [known, setKnown] = useState(names);
  if (names.length !== known.length) {
    const added = names.length === known.length + 1 ? names.findIndex((name) => !known.includes(name)) : -1;
    if (added >= 0) setPage(Math.floor(added / size) + 1);
    setKnown(names);
  }
  const page = Math.min(chosen, Math.max(1, Math.ceil(names.length / size)));
  return {
    shown: [(page - 1) * size, page * size],
    pager: names.length > size && <Pager page={page} size={size} total={names.length} onPage={setPage} />,
  };
}
