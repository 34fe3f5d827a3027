/** Answers that many callers are given as they are, and whose text takes long to write: it is written once. */

/** Texts of answers that are sent again; undefined before the first time. */
const texts = new WeakMap<object, string | undefined>();

/** The answer, whose text is kept as long as the answer itself, which must not change any more. */
export function sentAgain<T extends object>(answer: T): T {
  texts.set(answer, undefined);
  return answer;
}

/** What is sent. */
export function textOf(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null || !texts.has(answer)) return JSON.stringify(answer);
  const known = texts.get(answer);
  if (known !== undefined) return known;
  const text = JSON.stringify(answer);
  texts.set(answer, text);
  return text;
}
