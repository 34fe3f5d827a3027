/** Series of a chart: their tones, which a name keeps, and the rest that is put together. Pure. */
import type { Tone } from './tones.ts';

export interface ChartSeries {
  readonly key: string;
  readonly label: string;
  /** From the name when absent. */
  readonly tone?: Tone;
}

/** A place on the axis, or a part of the ring. */
export interface ChartPoint {
  readonly name: string;
  /** By key of the series; what is missing is 0, or a gap of a line. */
  readonly values: Readonly<Record<string, number>>;
}

/** A figure of a point; undefined where it has none, also for a model that is called like what every object has. */
export function figureOf({ values }: ChartPoint, key: string): number | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

const palette: readonly Tone[] = ['blue', 'green', 'purple', 'orange', 'cyan', 'red', 'lime', 'yellow'];

function hashOf(text: string): number {
  let hash = 0;
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash;
}

/** The tone of a name is the same in every chart, unless another one of the chart has it already. */
export function seriesTones(series: readonly ChartSeries[]): ReadonlyMap<string, Tone> {
  const taken = new Set<Tone>(series.flatMap(({ tone }) => tone ?? []));
  const tones = new Map<string, Tone>();
  for (const { key, tone } of series) {
    const start = hashOf(key) % palette.length;
    const free = palette
      .map((_, index) => palette[(start + index) % palette.length])
      .find((one) => one && !taken.has(one));
    const chosen = tone ?? free ?? 'grey';
    taken.add(chosen);
    tones.set(key, chosen);
  }
  return tones;
}

const restKey = '__rest';

/** The largest series by themselves, the others as one. */
export function withRest(
  points: readonly ChartPoint[],
  series: readonly ChartSeries[],
  restLabel: string,
  most = palette.length,
): { readonly points: readonly ChartPoint[]; readonly series: readonly ChartSeries[] } {
  if (series.length <= most) return { points, series };
  const sum = new Map(
    series.map(({ key }) => [key, points.reduce((total, point) => total + (figureOf(point, key) ?? 0), 0)]),
  );
  const bySize = series.toSorted((a, b) => (sum.get(b.key) ?? 0) - (sum.get(a.key) ?? 0));
  const kept = new Set(bySize.slice(0, most).map(({ key }) => key));
  return {
    series: [...series.filter(({ key }) => kept.has(key)), { key: restKey, label: restLabel, tone: 'grey' }],
    points: points.map(({ name, values }) => {
      const own = Object.entries(values);
      const rest = own.filter(([key]) => !kept.has(key)).reduce((total, [, value]) => total + value, 0);
      return { name, values: { ...Object.fromEntries(own.filter(([key]) => kept.has(key))), [restKey]: rest } };
    }),
  };
}

/** The largest parts of a ring by themselves, the others as one: hundreds of slivers tell nobody anything. */
export function partsWithRest(
  points: readonly ChartPoint[],
  key: string,
  restLabel: string,
  most = palette.length,
): readonly ChartPoint[] {
  if (points.length <= most) return points;
  const bySize = points.toSorted((a, b) => (figureOf(b, key) ?? 0) - (figureOf(a, key) ?? 0));
  const rest = bySize.slice(most).reduce((total, point) => total + (figureOf(point, key) ?? 0), 0);
  return [...bySize.slice(0, most), { name: restLabel, values: { [key]: rest } }];
}
