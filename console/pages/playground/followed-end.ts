/** A list that grows at its end: it follows while the reader is there, and stays where the reader went. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

const nearPx = 40;

const isNearEnd = (box: HTMLElement): boolean => box.scrollHeight - box.scrollTop - box.clientHeight < nearPx;

/** @param entries of the list: where one is new its end is followed in any case, as the reader asked for it */
export function useFollowedEnd(list: RefObject<HTMLElement | null>, entries: readonly { readonly id: string }[]) {
  const [isAtEnd, setAtEnd] = useState(true);
  const follows = useRef(true);
  const known = useRef(entries);
  const follow = useCallback(
    (isWanted: boolean) => {
      follows.current = isWanted;
      setAtEnd(isWanted);
      const box = list.current;
      if (isWanted && box) box.scrollTop = box.scrollHeight;
    },
    [list],
  );

  useEffect(() => {
    const box = list.current;
    if (!box) return undefined;
    // Only the reader's own scrolling tells where the reader wants to be; what grows below moves the end away.
    let lastTop = box.scrollTop;
    const onScroll = () => {
      const isNear = isNearEnd(box);
      const isUp = box.scrollTop < lastTop - 1;
      lastTop = box.scrollTop;
      if (isNear) follows.current = true;
      else if (isUp) follows.current = false;
      setAtEnd(isNear || follows.current);
    };
    const observer = new ResizeObserver(() => {
      if (follows.current) box.scrollTop = box.scrollHeight;
      // What became shorter may be in sight as a whole, and nobody scrolled.
      setAtEnd(follows.current || isNearEnd(box));
    });
    observer.observe(box);
    const watchContent = () => {
      for (const child of box.children) observer.observe(child);
    };
    watchContent();
    const children = new MutationObserver(watchContent);
    children.observe(box, { childList: true });
    box.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      children.disconnect();
      box.removeEventListener('scroll', onScroll);
    };
  }, [list]);

  useLayoutEffect(() => {
    const before = new Set(known.current.map(({ id }) => id));
    known.current = entries;
    if (entries.some(({ id }) => !before.has(id))) follow(true);
  }, [entries, follow]);

  return { isAtEnd, goToEnd: () => follow(true) };
}
