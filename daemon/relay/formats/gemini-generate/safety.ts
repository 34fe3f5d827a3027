/** `safetySettings` of the Gemini wire, from the operator's thresholds. */
import type { Json } from '../../json.ts';

/** What thresholds can be set for. */
export const safetyCategories: readonly string[] = [
  'HARM_CATEGORY_HARASSMENT',
  'HARM_CATEGORY_HATE_SPEECH',
  'HARM_CATEGORY_SEXUALLY_EXPLICIT',
  'HARM_CATEGORY_DANGEROUS_CONTENT',
  'HARM_CATEGORY_CIVIC_INTEGRITY',
];

/** A threshold for each category: its own, else that of `default`. Undefined where there are no thresholds at all. */
export function encodeSafety(thresholds: Readonly<Record<string, string>> | undefined): Json | undefined {
  if (thresholds === undefined) return undefined;
  return safetyCategories.map((category) => ({
    category,
    threshold: thresholds[category] ?? thresholds.default ?? 'OFF',
  }));
}
