/** The package's own version, read once from package.json beside the program. */
import { readFileSync } from 'node:fs';

function find(from: URL): string {
  for (const up of ['../package.json', '../../package.json']) {
    try {
      const parsed: unknown = JSON.parse(readFileSync(new URL(up, from), 'utf8'));
      if (typeof parsed === 'object' && parsed !== null && 'version' in parsed) return String(parsed.version);
    } catch {
      // The built program lies one folder deeper than the source.
    }
  }
  return '0.0.0';
}

export const version = find(new URL(import.meta.url));
