/** Reading answers whose shape nobody promised. */

/** The value under a path of names and positions; undefined where it ends early. */
export function under(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
    value,
  );
}
