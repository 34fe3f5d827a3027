/** What a pass tells the runner. */

export interface FileReport {
  /** Path from the project's folder. */
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly ms: number;
  /** Failures as text; empty when all is well. */
  readonly problems: string;
  /** What the file's tests printed. */
  readonly output: string;
}

export type PassMessage =
  | { readonly kind: 'starting'; readonly file: string }
  | { readonly kind: 'finished'; readonly report: FileReport }
  | { readonly kind: 'done' };
