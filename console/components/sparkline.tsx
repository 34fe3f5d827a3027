/** A line of values in the height of a word (console.md 7.9). */
import { useTranslation } from 'react-i18next';
import { formatCount } from './format.ts';
import styles from './sparkline.module.css';

const width = 80;
const height = 24;
const margin = 2;

export interface SparklineProps {
  /** A null is a gap. */
  readonly values: readonly (number | null)[];
  readonly label: string;
  /** Of the figures in the text that stands for the picture. */
  readonly format?: (value: number) => string;
}

export function Sparkline({ values, label, format = formatCount }: SparklineProps) {
  const { t } = useTranslation('list');
  const known = values.filter((value) => value !== null);
  const last = known.at(-1);
  const text =
    last === undefined
      ? label
      : t('sparkline.text', {
          label,
          min: format(Math.min(...known)),
          max: format(Math.max(...known)),
          last: format(last),
        });
  return (
    <svg className={styles.line} width={width} height={height} role="img" aria-label={text}>
      <title>{text}</title>
      <path d={pathOf(values)} />
    </svg>
  );
}

/** Flat lines lie at the bottom for nothing, in the middle for anything else. A lone value is a short dash. */
function pathOf(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  const least = Math.min(...known);
  const range = Math.max(...known) - least;
  const step = (width - 2 * margin) / Math.max(1, values.length - 1);
  const y = (value: number) => {
    const share = range === 0 ? (value === 0 ? 0 : 0.5) : (value - least) / range;
    return (height - margin - share * (height - 2 * margin)).toFixed(1);
  };
  let path = '';
  values.forEach((value, index) => {
    if (value === null) return;
    const x = (margin + index * step).toFixed(1);
    const isJoined = index > 0 && values[index - 1] !== null;
    path += `${isJoined ? 'L' : 'M'}${x} ${y(value)}`;
    if (!isJoined && (values[index + 1] ?? null) === null) path += 'h1';
  });
  return path;
}
