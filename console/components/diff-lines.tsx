import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lineParts } from './diff-parts.ts';
import { sortedValue } from './diff-values.ts';
import classes from './diff-view.module.css';

/** Unchanged lines around a change that stay in sight. */
const context = 3;

interface DiffLine {
  readonly key: string;
  readonly sign: '+' | '-' | ' ';
  readonly text: string;
  /** Far from every change. */
  readonly isFar: boolean;
  /** Of all lines. */
  readonly at: number;
}

interface DiffLinesProps {
  readonly label: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly kind: 'text' | 'json';
  readonly secrets: readonly string[];
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

function jsonTexts(before: unknown, after: unknown, secrets: readonly string[]): [string, string] {
  const [old, now] = [parsed(before), parsed(after)];
  const text = (value: unknown, other: unknown, mark: string) =>
    value === undefined ? '' : JSON.stringify(sortedValue(value, other, secrets, mark), null, 2);
  // What is hidden on both sides would otherwise look unchanged.
  return [text(old, now, ''), text(now, old, ' *')];
}

function textsOf(before: unknown, after: unknown): [string, string] {
  const text = (value: unknown) => (typeof value === 'string' ? value : String(value ?? ''));
  return [text(before), text(after)];
}

function linesOf(before: string, after: string): DiffLine[] {
  const lines: DiffLine[] = [];
  const parts = lineParts(before, after);
  for (const [index, { sign, lines: texts }] of parts.entries()) {
    for (const [row, text] of texts.entries()) {
      const isNearStart = index > 0 && row < context;
      const isNearEnd = index < parts.length - 1 && row >= texts.length - context;
      lines.push({
        at: lines.length,
        key: `${index}-${row}`,
        sign,
        text,
        isFar: sign === ' ' && !isNearStart && !isNearEnd,
      });
    }
  }
  return lines;
}

/** One below the other, removed before added; unchanged parts are folded. */
export function DiffLines({ label, before, after, kind, secrets }: DiffLinesProps) {
  const { t } = useTranslation('components');
  const [isWhole, setWhole] = useState(false);
  const lines = useMemo(
    () => linesOf(...(kind === 'json' ? jsonTexts(before, after, secrets) : textsOf(before, after))),
    [before, after, kind, secrets],
  );
  if (lines.every(({ sign }) => sign === ' ')) return <p className={classes.same}>{t('diff.same')}</p>;
  const shown = isWhole ? lines : lines.filter(({ isFar }) => !isFar);
  const words = { '+': t('diff.added'), '-': t('diff.removed'), ' ': '' } as const;
  return (
    <div className={classes.diff}>
      <section
        className={classes.lines}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, also by the keyboard
        tabIndex={0}
        aria-label={label}
      >
        {shown.map(({ key, sign, text, at }, row) => (
          <div
            key={key}
            className={classes.line}
            data-sign={sign.trim() || undefined}
            // Lines in between are folded.
            data-gap={row > 0 && shown[row - 1]?.at !== at - 1 ? true : undefined}
          >
            <span className={classes.sign} aria-hidden>
              {sign}
            </span>
            {words[sign] !== '' && <span className={classes.word}>{words[sign]}</span>}
            {text}
          </div>
        ))}
      </section>
      {shown.length < lines.length && (
        <button type="button" className={classes.unfold} onClick={() => setWhole(true)}>
          {t('diff.unfold', { count: lines.length - shown.length })}
        </button>
      )}
    </div>
  );
}
