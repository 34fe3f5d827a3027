/**
 * A chart with its figures as a table behind a switch (console.md 7.10). The drawing is a chunk of its own; the place
 * for it is kept free.
 */
import { IconChartBar, IconDownload, IconTable } from '@tabler/icons-react';
import i18next from 'i18next';
import { Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './chart.module.css';
import { type ChartPoint, type ChartSeries, figureOf, partsWithRest, seriesTones, withRest } from './chart-series.ts';
import { downloadCsv } from './csv-download.ts';
import { formatCount } from './format.ts';
import { lazyPart } from './late-part.tsx';

void i18next.loadNamespaces('list');

const ChartDrawing = lazyPart(() => import('./chart-drawing.tsx').then((module) => ({ default: module.ChartDrawing })));

export interface ChartProps {
  /** `ring`: the points are its parts, of the first series. */
  readonly kind: 'bars' | 'stacked' | 'lines' | 'ring';
  /** Accessible name, and name of the file. */
  readonly label: string;
  readonly points: readonly ChartPoint[];
  readonly series: readonly ChartSeries[];
  /** Of every figure. */
  readonly format?: (value: number) => string;
  /** Every figure as the file has it, where that is not as it came: dollars for quota. */
  readonly fileFigure?: ((value: number) => number) | undefined;
  /** Pixels; 300 when absent. */
  readonly height?: number;
  /** What the points are: head of the table's first column. */
  readonly pointLabel?: string;
}

export function Chart(props: ChartProps) {
  const { kind, label, points, series, format = formatCount, fileFigure, height = 300, pointLabel } = props;
  const { t } = useTranslation('list');
  const [isTable, setTable] = useState(false);
  const drawn = useMemo(
    () =>
      kind === 'ring'
        ? { points: partsWithRest(points, series[0]?.key ?? '', t('chart.rest')), series }
        : withRest(points, series, t('chart.rest')),
    [kind, points, series, t],
  );
  const tones = useMemo(
    () =>
      seriesTones(
        kind === 'ring' ? drawn.points.slice(0, 8).map(({ name }) => ({ key: name, label: name })) : drawn.series,
      ),
    [kind, drawn],
  );
  const head = [pointLabel ?? t('chart.category'), ...series.map((one) => one.label)];
  const save = () =>
    downloadCsv(label, [
      head,
      ...points.map((point) => [
        point.name,
        ...series.map(({ key }) => {
          const figure = figureOf(point, key) ?? 0;
          return fileFigure ? fileFigure(figure) : figure;
        }),
      ]),
    ]);
  const switchLabel = t(isTable ? 'chart.asChart' : 'chart.asTable');
  return (
    <figure className={classes.chart} aria-label={label}>
      <div className={classes.tools}>
        <button
          type="button"
          className={classes.tool}
          aria-label={t('chart.save')}
          title={t('chart.save')}
          onClick={save}
        >
          <IconDownload size={16} stroke={1.75} aria-hidden="true" />
        </button>
        <button
          type="button"
          className={classes.tool}
          aria-label={switchLabel}
          title={switchLabel}
          onClick={() => setTable(!isTable)}
        >
          {isTable ? (
            <IconChartBar size={16} stroke={1.75} aria-hidden="true" />
          ) : (
            <IconTable size={16} stroke={1.75} aria-hidden="true" />
          )}
        </button>
      </div>
      {points.length === 0 ? (
        <p className={classes.empty} style={{ height }}>
          {t('chart.empty')}
        </p>
      ) : isTable ? (
        <Figures head={head} label={label} points={points} series={series} format={format} height={height} />
      ) : (
        <Suspense fallback={<div style={{ height }} />}>
          <ChartDrawing
            kind={kind}
            label={label}
            points={drawn.points}
            series={drawn.series}
            tones={tones}
            format={format}
            height={height}
          />
        </Suspense>
      )}
    </figure>
  );
}

function Figures({
  head,
  label,
  points,
  series,
  format,
  height,
}: {
  readonly head: readonly string[];
  readonly label: string;
  readonly points: readonly ChartPoint[];
  readonly series: readonly ChartSeries[];
  readonly format: (value: number) => string;
  readonly height: number;
}) {
  const { t } = useTranslation('list');
  const sum = (key: string) => points.reduce((total, point) => total + (figureOf(point, key) ?? 0), 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={classes.scroller} style={{ height }} aria-label={label} tabIndex={0}>
      <table className={classes.table}>
        <thead>
          <tr>
            {head.map((title, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two series may have one label, and none moves
              <th key={index} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.map((point) => (
            <tr key={point.name}>
              <th scope="row">{point.name}</th>
              {series.map(({ key }) => (
                <td key={key}>{format(figureOf(point, key) ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t('chart.total')}</th>
            {series.map(({ key }) => (
              <td key={key}>{format(sum(key))}</td>
            ))}
          </tr>
        </tfoot>
      </table>
    </section>
  );
}
