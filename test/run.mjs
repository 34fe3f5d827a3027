/** `npm test`: teaches Node to read TypeScript, then runs `run.ts` in this process. */
import { register } from 'tsx/esm/api';

register();
await import('./run.ts');
