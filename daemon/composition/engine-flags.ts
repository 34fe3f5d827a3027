/** What V8 is told before the daemon does anything. */
import { setFlagsFromString } from 'node:v8';

export function setEngineFlags(): void {
  // Under steady load V8 finds that the objects of a request outlive a young collection and begins to allocate them in
  // the old generation ("pretenuring"). There they stay until a full collection, and keep alive all that they point to:
  // every request of a busy node was dragged into the old generation that way (measured with `--trace-gc-nvp`: 8.4 kB
  // promoted a call with it, 1.8 kB without, and half the time in the collector).
  setFlagsFromString('--no-allocation-site-pretenuring');
  // Functions are compiled when they are first called, by V8's quick compiler, not interpreted until they have been
  // called often enough: calls cost less while the node is new, and later too (ARCHITECTURE 15).
  setFlagsFromString('--always-sparkplug');
}
