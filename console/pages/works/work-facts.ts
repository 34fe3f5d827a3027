/** What the lists of drawings and tasks say about a work, apart from how it is drawn. */
import { rangeToSeconds } from '../../components/time-range-text.ts';

/** More characters than these are behind a click. */
const shownCharacters = 15;

/** Longer work than this is marked. */
const slowSeconds = 60;
const anHour = 3600;

/** Seconds between both ends; undefined while the work is not finished. */
export function secondsTaken(submitted: number, finished: number, unitsPerSecond: number): number | undefined {
  if (submitted <= 0 || finished <= 0) return undefined;
  return Math.max(0, finished - submitted) / unitsPerSecond;
}

export const durationTone = (seconds: number): 'red' | 'green' => (seconds > slowSeconds ? 'red' : 'green');

/** 0 to 100 of a text such as "35%"; undefined when it says no number. */
export function percentOf(progress: string): number | undefined {
  const found = /^\s*(\d+(?:\.\d+)?)\s*%?\s*$/.exec(progress);
  return found ? Math.min(100, Number(found[1])) : undefined;
}

/** The beginning of a text, by characters and not by halves of them. */
export function cutText(text: string): string {
  const characters = [...text];
  return characters.length > shownCharacters ? `${characters.slice(0, shownCharacters).join('')}…` : text;
}

/** Only SUCCESS and FAILURE end a work. */
export const isUnfinished = ({ status }: { readonly status: string }): boolean =>
  status !== 'SUCCESS' && status !== 'FAILURE';

/** Both ends of a range in unix seconds; the end is open where the range has none. */
export function taskTimes(range: string, now: Date = new Date()) {
  const { from, to } = rangeToSeconds(range, now);
  return { start_timestamp: from ?? '', end_timestamp: to ?? '' };
}

/** Both ends in unix milliseconds; without an end, an hour from now. */
export function drawingTimes(range: string, now: Date = new Date()) {
  const { from, to } = rangeToSeconds(range, now);
  return {
    start_timestamp: from === undefined ? '' : from * 1000,
    end_timestamp: to === undefined ? now.getTime() + anHour * 1000 : to * 1000 + 999,
  };
}

/** How often unfinished works on screen are asked for again. */
export const refreshMs = 15_000;

/** An address that a link may lead to; a service could answer anything. */
export const isWebAddress = (address: string): boolean => /^(https?:\/\/|\/(?!\/))/i.test(address);
