/** The models of a channel: a list of names, kept in its order and without repeats. */

/** Names typed or pasted: parted by commas, blanks and line breaks of either script. */
export function splitNames(text: string): string[] {
  return [...new Set(text.split(/[\s,，、;；]+/u).filter((name) => name !== ''))];
}

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

/** Those whose name holds every word of the search, the chosen ones first, each in its own order. */
export function pickableModels(known: readonly string[], chosen: readonly string[], search: string): string[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const isWanted = (model: string) => words.every((word) => model.toLowerCase().includes(word));
  return [...new Set([...chosen, ...known])].filter(isWanted);
}
