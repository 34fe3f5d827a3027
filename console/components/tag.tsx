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

/** @param label shown for the group named "", e.g. "account group" */
export function GroupTag({ name, label }: { readonly name: string; readonly label?: string }) {
  return <Tag tone={name === '' ? 'grey' : groupTone(name)}>{name === '' && label ? label : name}</Tag>;
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
