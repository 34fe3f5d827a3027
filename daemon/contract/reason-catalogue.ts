/** English reasons and their Chinese, `$1` and so on being what varies; the first pattern that fits holds. */
export type ReasonCatalogue = readonly (readonly [english: RegExp, chinese: string])[];

/** The reason in Chinese; undefined where the catalogue does not know it. */
export function translated(catalogue: ReasonCatalogue, english: string): string | undefined {
  const found = catalogue.find(([pattern]) => pattern.test(english));
  return found === undefined ? undefined : english.replace(...found);
}
