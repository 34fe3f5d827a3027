/** The checks of a form with the words of this page. */
import type { TFunction } from 'i18next';
import * as z from 'zod/mini';

export interface Fault {
  readonly field: string;
  /** Key of its text under `problem`. */
  readonly problem: string;
  /** What the text names. */
  readonly detail?: string;
}

/** A schema that refuses what `faultsOf` finds, each under its field. */
export function schemaOf<Draft>(
  faultsOf: (draft: Draft) => readonly Fault[],
  t: TFunction<['channel-editor', 'frame']>,
): z.ZodMiniType<Draft> {
  return z.custom<Draft>().check(({ value, issues }) => {
    for (const { field, problem, detail = '' } of faultsOf(value)) {
      issues.push({ code: 'custom', input: value, path: [field], message: t(`problem.${problem}`, { key: detail }) });
    }
  });
}
