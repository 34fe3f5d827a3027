/** What a reader has found out so far about how long a file plays. */

export interface Length {
  /** As headers and frames tell; undefined while they do not. */
  seconds: number | undefined;
  /** Samples whose number only the end of the file tells: where they begin, how many bytes there may be, and how fast. */
  samples?: { readonly start: number; readonly bytes: number; readonly bytesPerSecond: number };
}
