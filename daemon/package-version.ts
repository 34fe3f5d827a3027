/** The version of this program. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The package's version: above the sources, or above `dist/`. */
export function packageVersion(): string {
  for (const up of ['../package.json', '../../package.json']) {
    const path = fileURLToPath(new URL(up, import.meta.url));
    if (!existsSync(path)) continue;
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof parsed === 'object' && parsed !== null && 'version' in parsed) return String(parsed.version);
  }
  return '0.0.0';
}
