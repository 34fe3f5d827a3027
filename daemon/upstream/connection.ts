/** One connection to an origin: opened with its first call, and anew where it has broken. */
import { Client } from 'undici';

export class Connection extends Client {
  /** It has carried a whole call, so its other end may give it up at any time, also while the next one is on its way. */
  isKept = false;

  constructor(origin: string, options: Client.Options) {
    super(origin, options);
    this.on('disconnect', () => {
      this.isKept = false;
    });
  }
}
