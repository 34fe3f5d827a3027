/** A list that grows at its end: it follows while the reader is there, and stays where the reader went. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

const nearPx = 40;

/** @param count of what is in the list: one more is followed in any case, as the reader asked for it */
export function useFollowedEnd(list: RefObject<HTMLElement | null>, count: number) {
  const [isAtEnd, setAtEnd] = useState(true);
  const follows = useRef(true);
  const seen = useRef(count);
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
      const isNear = box.scrollHeight - box.scrollTop - box.clientHeight < nearPx;
      const isUp = box.scrollTop < lastTop - 1;
      lastTop = box.scrollTop;
      if (isNear) follows.current = true;
      else if (isUp) follows.current = false;
      setAtEnd(isNear || follows.current);
    };
    const observer = new ResizeObserver(() => {
      if (follows.current) box.scrollTop = box.scrollHeight;
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
    if (count > seen.current) follow(true);
    seen.current = count;
  }, [count, follow]);

  return { isAtEnd, goToEnd: () => follow(true) };
}
