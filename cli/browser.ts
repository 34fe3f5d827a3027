/** The browser of the desktop that this program runs on. */
import { spawn } from 'node:child_process';

/** Asks the desktop to open an address; where there is none the caller has printed it. */
export function openInBrowser(address: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', address]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', address]
        : ['xdg-open', address];
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

/** Whether there is a desktop here: not over SSH, and not on a Unix without a display. */
export function hasDesktop(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): boolean {
  if (environment.SSH_CONNECTION) return false;
  if (platform === 'darwin' || platform === 'win32') return true;
  return Boolean(environment.DISPLAY || environment.WAYLAND_DISPLAY);
}
