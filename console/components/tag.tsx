/** A word on a tone: native markup, since a table has many of them (console.md 3, rule 4; 7.8). */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type EnumerationKind, enumerationEntry } from './enumerations.ts';
import { formatDuration, formatRatio } from './format.ts';
import styles from './tag.module.css';
import { groupRatioTone, groupTone, responseTimeTone, type Tone } from './tones.ts';

export interface TagProps {
  readonly tone?: Tone;
  readonly children: ReactNode;
  readonly title?: string | undefined;
  /** A point of the tone before the text, for states. */
  readonly dot?: boolean;
  readonly count?: number;
}

export function Tag({ tone = 'grey', children, title, dot, count }: TagProps) {
  return (
    <span className={styles.tag} data-tone={tone} title={title}>
      {dot && <span className={styles.dot} />}
      <span className={styles.text}>{children}</span>
      {count !== undefined && <span className={styles.count}>{count}</span>}
    </span>
  );
}

/** A value of an enumeration with its tone and name; the raw value in grey where it is unknown. */
export function StatusTag({
  kind,
  value,
  title,
  dot,
}: {
  readonly kind: EnumerationKind;
  readonly value: string | number;
  readonly title?: string | undefined;
  readonly dot?: boolean;
}) {
  const { t } = useTranslation('enumerations');
  const found = enumerationEntry(kind, value);
  return (
    <Tag tone={found?.tone ?? 'grey'} title={title} dot={dot ?? kind.endsWith('Status')}>
      {found ? t(`label.${found.label}`) : String(value)}
    </Tag>
  );
}

/** `1.5x` of a group. */
export function RatioTag({ ratio, title }: { readonly ratio: number; readonly title?: string }) {
  return (
    <Tag tone={groupRatioTone(ratio)} title={title}>
      {formatRatio(ratio)}
    </Tag>
  );
}

export interface GroupTagProps {
  readonly name: string;
  /** Shown for the group named "", e.g. "account group". */
  readonly label?: string;
  /** Of a cell, in Latin letters: a longer name is cut, and told whole by the table's tip, which the keyboard reaches. */
  readonly room?: number;
}

export function GroupTag({ name, label, room = Number.POSITIVE_INFINITY }: GroupTagProps) {
  const tag = <Tag tone={name === '' ? 'grey' : groupTone(name)}>{name === '' && label ? label : name}</Tag>;
  if (letters(name) <= room) return tag;
  return (
    <Tipped tip={name} room={room}>
      {tag}
    </Tipped>
  );
}

/** Han characters are as wide as two letters. */
function letters(text: string): number {
  return [...text].reduce((sum, character) => sum + (character > '\u2e7f' ? 2 : 1), 0);
}

/** What shows less than it has to say, inside a table: its tip says the rest. */
export function Tipped({
  tip,
  room,
  children,
}: {
  readonly tip: string;
  readonly room?: number;
  readonly children: ReactNode;
}) {
  return (
    <span
      className={styles.tipped}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a tip that only a pointer reaches is none for the keyboard
      tabIndex={0}
      data-tip={tip}
      style={room === undefined ? undefined : { maxWidth: `calc(${room}ch + 16px)` }}
    >
      {children}
    </span>
  );
}

/** How long a channel took to answer its test, in milliseconds. */
export function ResponseTimeTag({ ms, title }: { readonly ms: number; readonly title?: string }) {
  const { t } = useTranslation('enumerations');
  const seconds = ms / 1000;
  return (
    <Tag tone={responseTimeTone(seconds)} title={title}>
      {ms === 0 ? t('responseTime.untested') : formatDuration(Math.max(0.1, seconds))}
    </Tag>
  );
}
