/**
 * `npm run dev`: the daemon from its sources, started anew as they change, and in front of it the console's sources
 * through Vite. Arguments are those of `tollgate serve`.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { serveConsole } from './console-build.mjs';
import { root } from './stamp.mjs';

const consolePort = 5173;

const tsx = join(root, 'node_modules/tsx/dist/cli.mjs');
const command = [
  tsx,
  'watch',
  '--clear-screen=false',
  join(root, 'bin/tollgate.ts'),
  'serve',
  ...process.argv.slice(2),
];
const daemon = spawn(process.execPath, command, { stdio: ['inherit', 'inherit', 'pipe'] });

let isConsoleServed = false;
daemon.stderr.on('data', async (chunk) => {
  process.stderr.write(chunk);
  const url = /^(?:listening on|正在监听) (http:\S+)/m.exec(String(chunk))?.[1];
  if (url === undefined || isConsoleServed) return;
  isConsoleServed = true;
  await serveConsole(url, consolePort);
});
daemon.on('exit', (code) => process.exit(code ?? 1));
// A terminal's Ctrl-C reaches the daemon by itself; this process leaves when that has.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => daemon.kill('SIGTERM'));
