/**
 * Names that channels list in place of many: GPTs by a wildcard, Gemini's exact thinking budgets by one entry
 * (relay.md 11.3, 15.2). They are looked up only for a model that nobody lists under its own name.
 */

/** The entries that stand for a name, in the order in which they are tried; none for most names. */
export function listedNames(model: string): readonly string[] {
  if (model.includes('-gizmo-')) return [model.replace(/(gpt-4o?-gizmo-).*$/, '$1*')];
  // Any caller may ask for a name of many thousands of characters: each is looked at once.
  const ending = /-thinking(?=-\d+$)/.exec(model);
  if (ending === null || !model.slice(0, ending.index).includes('gemini-')) return [];
  const budget = model.slice(0, ending.index + ending[0].length);
  return [`${budget}-*`, budget];
}
