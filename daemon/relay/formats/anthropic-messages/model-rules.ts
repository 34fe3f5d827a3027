/**
 * What a Claude model accepts, by the version in its name.
 * Source: providers/anthropic.md and relay.md 6.1, 13.3, read 2026-08. A name without a Claude version (other vendors
 * speak this format too) is held to nothing.
 */

/** Version as one number: 4.5 is 405, 5 is 500; undefined when the name is no Claude's. */
export function claudeVersion(model: string): number | undefined {
  const name = /claude-(.*)$/.exec(model)?.[1];
  if (name === undefined) return undefined;
  // `3-7-sonnet-20250219` and `sonnet-4-5-20250929`; a date is never a version.
  const found = /(?:^|-)(\d{1,2})(?:[-.](\d{1,2}))?(?![\d])/.exec(name);
  if (found === null) return undefined;
  return Number(found[1]) * 100 + Number(found[2] ?? 0);
}

/** 4.6 and later judge for themselves how much to think. */
export function thinksAdaptively(model: string): boolean {
  return (claudeVersion(model) ?? 0) >= 406;
}

/** Models after 4.6 leave the text of their thoughts out unless they are asked for it. Source: vendor's page on 4.7, read 2026-11. */
export function hidesThoughts(model: string): boolean {
  return (claudeVersion(model) ?? 0) > 406;
}

/** 4.5 and later keep to a JSON schema by themselves. */
export function hasStructuredOutput(model: string): boolean {
  return (claudeVersion(model) ?? 0) >= 405;
}

/** Models after 4.6 refuse sampling knobs other than their defaults. */
export function refusesSampling(model: string): boolean {
  return (claudeVersion(model) ?? 0) > 406;
}

/** The smallest top_p that a model takes while it thinks, or at all. */
export function leastTopP(model: string): number {
  return refusesSampling(model) ? 0.99 : 0.95;
}

/** From 4.1 on, temperature and top_p may not come together. */
export function refusesBothSamplers(model: string): boolean {
  return (claudeVersion(model) ?? 0) >= 401;
}

/** 5.5 models and fable refuse to be told not to think. */
export function alwaysThinks(model: string): boolean {
  return (claudeVersion(model) ?? 0) >= 505 || /claude-(fable|mythos)-/.test(model);
}

/** Thinks unless it is told not to. */
export function thinksUnasked(model: string): boolean {
  return /claude-opus-5(?![-.]\d{1,2}(?!\d))/.test(model);
}
