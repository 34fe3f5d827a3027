/** What the runner and its passes tell each other. */

export interface FileReport {
  /** Path from the project's folder. */
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly ms: number;
  /** Processor time in all threads and in all that it started; the start of the process counts to its first file. */
  readonly processorMs: number;
  /** Failures as text; empty when all is well. */
  readonly problems: string;
  /** What the file's tests printed. */
  readonly output: string;
}

/** What the runner asks of a pass: the next file; without one it is done. */
export interface PassOrder {
  readonly file?: string;
  /** Address of what is to be loaded for it. */
  readonly module?: string;
}

/** The answer to an order. */
export interface PassMessage {
  readonly report: FileReport;
}
