/** Models of a channel that are switched off alone, as its setting carries them. */

/** The setting's text with these models switched off; every other member stays. */
export function withDisabledModels(setting: string | null, models: readonly string[]): string {
  const { disabled_models: _before, ...rest } = membersOf(setting);
  const members = models.length === 0 ? rest : { ...rest, disabled_models: models };
  return Object.keys(members).length === 0 ? '' : JSON.stringify(members);
}

// The column holds an object or nothing: every write checks it.
function membersOf(setting: string | null): Record<string, unknown> {
  const value: unknown = setting?.trim() ? JSON.parse(setting) : {};
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
