/** A refusal by Tollgate in the platform's own words; everything else that refuses a task has a code of the table. */
export class TaskRefused extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: string;

  /** @param details "" where the code says it all */
  constructor(status: number, code: string, details = '') {
    super(code);
    this.name = 'TaskRefused';
    this.status = status;
    this.code = code;
    this.details = details;
  }
}
