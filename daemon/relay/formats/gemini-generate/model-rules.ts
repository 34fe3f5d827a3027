/** What models of this wire refuse, by their names. Source: providers/gemini.md, read 2026-11. */
import { geminiVersion } from './thinking.ts';

/** Before 3, functions go neither with built-in tools nor with JSON answers. */
export function refusesBesideFunctions(model: string): boolean {
  return (geminiVersion(model) ?? 3) < 3;
}

/** Models without instructions: they are told as the first words of the user. */
export function refusesInstructions(model: string): boolean {
  return /^gemma|^gemini-2.*-image/.test(model);
}

export function refusesTemperature(model: string): boolean {
  return /-image/.test(model);
}
