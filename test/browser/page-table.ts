/** The console's table of pages, read by the tool that bundles it: the table finds its modules in Vite's own way. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { PageEntry } from '../../console/pages.tsx';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** In a process of its own, since the modules of the console open a channel to other tabs that never ends. */
const program = `
  import { runnerImport } from 'vite';
  const { module } = await runnerImport(process.argv[1], { root: process.argv[2], configFile: false, logLevel: 'error' });
  const built = module.pages.filter((entry) => module.loaderOf(entry) !== undefined);
  process.stdout.write(JSON.stringify(built), () => process.exit(0));
`;

/** Pages whose code is there; without what is shown only where an option says so. */
export function readPageTable(): Omit<PageEntry, 'visible'>[] {
  const place = `${root}console`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program, `${place}/pages.tsx`, place], {
    cwd: root,
    encoding: 'utf8',
  });
  return JSON.parse(output);
}
