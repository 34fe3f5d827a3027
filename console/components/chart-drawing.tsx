/** Draws the charts by the kit's; only `chart.tsx` imports it, lazily. */
import { BarChart, DonutChart, LineChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import { useId } from 'react';
import classes from './chart.module.css';
import { type ChartPoint, type ChartSeries, figureOf } from './chart-series.ts';
import { formatCount } from './format.ts';
import type { Tone } from './tones.ts';

export interface ChartDrawingProps {
  readonly kind: 'bars' | 'stacked' | 'lines' | 'ring';
  readonly label: string;
  readonly points: readonly ChartPoint[];
  readonly series: readonly ChartSeries[];
  /** By key of the series, of a ring by name of the part. */
  readonly tones: ReadonlyMap<string, Tone>;
  readonly format: (value: number) => string;
  readonly height: number;
}

/** Series are told apart by these as well as by colour. */
const dashes = ['', '6 3', '2 3', '10 4', '8 3 2 3', '1 4', '12 3 3 3', '4 4'];
const angles = [undefined, 45, 135, 0, 90, 22, 112, 67];

/** A name of a hundred signs would make the page wider than the window. */
const tooltip = { tooltip: classes.tooltip ?? '', tooltipItemName: classes.tooltipName ?? '' };

const colorOf = (tone: Tone | undefined): `var(${string})` => `var(--tone-${tone ?? 'grey'}-text)`;

export function ChartDrawing(props: ChartDrawingProps) {
  const { kind, label, points, series, tones, format, height } = props;
  const id = useId().replaceAll(/[^a-zA-Z0-9]/g, '');
  if (kind === 'ring') return <Ring {...props} />;
  // Names of models have dots, which the library would take for a path.
  const data = points.map((point) => ({
    name: point.name,
    ...Object.fromEntries(
      series.map(({ key }, index) => [`s${index}`, figureOf(point, key) ?? (kind === 'lines' ? null : 0)]),
    ),
  }));
  const drawn = series.map((one, index) => ({
    name: `s${index}`,
    label: one.label,
    color: colorOf(tones.get(one.key)),
    ...(kind === 'lines' ? { strokeDasharray: dashes[index % dashes.length] ?? '' } : {}),
  }));
  const fillOf = (index: number): string =>
    angles[index % angles.length] === undefined ? (drawn[index]?.color ?? '') : `url(#${id}-${index})`;
  const indexOf = (name: string): number => Number(name.slice(1));
  const shared = {
    // The names below take a line of their own.
    h: series.length > 1 ? height - 32 : height,
    data,
    dataKey: 'name',
    series: drawn,
    valueFormatter: format,
    withLegend: false,
    yAxisProps: { width: 64, allowDecimals: format !== formatCount },
    tooltipAnimationDuration: 0,
    classNames: tooltip,
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an image element cannot hold a drawing that is walked by keys
    <div role="group" aria-label={label}>
      {kind === 'lines' ? (
        <LineChart
          {...shared}
          curveType="monotone"
          withDots={points.length <= 31}
          lineProps={{ isAnimationActive: false }}
        />
      ) : (
        <>
          <Patterns id={id} colors={drawn.map(({ color }) => color)} />
          <BarChart
            {...shared}
            type={kind === 'stacked' ? 'stacked' : 'default'}
            // What was given back hangs below the axis, instead of over what was used.
            barChartProps={{ stackOffset: 'sign' }}
            maxBarWidth={48}
            barProps={({ name }) => ({
              isAnimationActive: false,
              fill: fillOf(indexOf(name)),
            })}
          />
        </>
      )}
      {series.length > 1 && (
        <ul className={classes.legend}>
          {drawn.map(({ name, label: title, color }, index) => (
            <li key={name}>
              <svg width={16} height={12} aria-hidden="true">
                {kind === 'lines' ? (
                  <line
                    x1={0}
                    x2={16}
                    y1={6}
                    y2={6}
                    stroke={color}
                    strokeWidth={2}
                    strokeDasharray={dashes[index % dashes.length]}
                  />
                ) : (
                  <rect width={12} height={12} rx={2} fill={fillOf(index)} />
                )}
              </svg>
              <span className={classes.tooltipName}>{title}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Patterns({ id, colors }: { readonly id: string; readonly colors: readonly string[] }) {
  return (
    <svg className={classes.patterns} aria-hidden="true">
      <defs>
        {colors.map((color, index) => (
          <pattern
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is what the bars refer to
            key={index}
            id={`${id}-${index}`}
            width={6}
            height={6}
            patternUnits="userSpaceOnUse"
            patternTransform={`rotate(${angles[index % angles.length] ?? 0})`}
          >
            <rect width={6} height={6} fill={color} />
            <rect width={1.5} height={6} className={classes.stripe} />
          </pattern>
        ))}
      </defs>
    </svg>
  );
}

/** Named parts beside the ring: nobody has to match colours. */
function Ring({ label, points, series, tones, format, height }: ChartDrawingProps) {
  const key = series[0]?.key ?? '';
  const parts = points.map((point) => ({
    name: point.name,
    value: figureOf(point, key) ?? 0,
    color: colorOf(tones.get(point.name)),
  }));
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  return (
    <div className={classes.ring} style={{ minHeight: height }}>
      {/* biome-ignore lint/a11y/useSemanticElements: an image element cannot hold a drawing */}
      <div role="group" aria-label={label}>
        <DonutChart
          // A part below zero has no angle; it is in the list, and the sum counts it.
          data={parts.filter(({ value }) => value > 0)}
          size={Math.min(220, height - 40)}
          thickness={28}
          tooltipDataSource="segment"
          classNames={tooltip}
          valueFormatter={format}
          chartLabel={format(total)}
          pieProps={{ isAnimationActive: false }}
        />
      </div>
      <ul className={classes.parts}>
        {parts.map(({ name, value, color }) => (
          <li key={name}>
            <span className={classes.swatch} style={{ background: color }} />
            <span className={classes.partName}>{name}</span>
            <span className={classes.partValue}>{format(value)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
