/** The models of a channel: a list of names, kept in its order and without repeats. */

export interface Addition {
  readonly models: readonly string[];
  readonly added: readonly string[];
  /** Were in the list already. */
  readonly ignored: readonly string[];
}

/** The list with further names behind it. */
export function addModels(models: readonly string[], names: readonly string[]): Addition {
  const known = new Set(models);
  const wanted = [...new Set(names)];
  const added = wanted.filter((name) => !known.has(name));
  return { models: [...models, ...added], added, ignored: wanted.filter((name) => known.has(name)) };
}

export interface Comparison {
  /** Offered by the upstream and not in the list. */
  readonly fresh: readonly string[];
  readonly present: readonly string[];
  /** In the list and no longer offered. */
  readonly gone: readonly string[];
}

/** How a channel's list differs from what its upstream offers; mapped names count by what is sent upstream. */
export function compareModels(
  models: readonly string[],
  offered: readonly string[],
  mapping: Readonly<Record<string, string>> = {},
): Comparison {
  const upstream = new Set(offered);
  const own = new Set(models);
  const isOffered = (model: string) => upstream.has(model) || upstream.has(mapping[model] ?? model);
  return {
    fresh: [...upstream].filter((model) => !own.has(model)),
    present: models.filter(isOffered),
    gone: models.filter((model) => !isOffered(model)),
  };
}
