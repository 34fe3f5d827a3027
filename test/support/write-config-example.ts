/** `npm run example`: writes `config.example.yaml` from the schema; a test compares the two. */
import { writeFileSync } from 'node:fs';
import { exampleConfig } from '../../daemon/config/describe.ts';

writeFileSync(new URL('../../config.example.yaml', import.meta.url), exampleConfig());
