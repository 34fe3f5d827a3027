/**
 * Names that channels list in place of many: GPTs by a wildcard, Gemini's exact thinking budgets by one entry
 * (relay.md 11.3, 15.2). They are looked up only for a model that nobody lists under its own name.
 */

/** The entries that stand for a name, in the order in which they are tried; none for most names. */
export function listedNames(model: string): readonly string[] {
  if (model.includes('-gizmo-')) return [model.replace(/(gpt-4o?-gizmo-).*$/, '$1*')];
  const budget = /^(.*gemini-.*-thinking)-\d+$/.exec(model)?.[1];
  return budget === undefined ? [] : [`${budget}-*`, budget];
}
