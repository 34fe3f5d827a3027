/** The package's own name and version, read once from package.json beside the program. */
import { readFileSync } from 'node:fs';

function find(from: URL): { name: string; version: string } {
  for (const up of ['../package.json', '../../package.json']) {
    try {
      const parsed: unknown = JSON.parse(readFileSync(new URL(up, from), 'utf8'));
      if (typeof parsed === 'object' && parsed !== null && 'name' in parsed && 'version' in parsed) {
        return { name: String(parsed.name), version: String(parsed.version) };
      }
    } catch {
      // The built program lies one folder deeper than the source.
    }
  }
  return { name: 'tollgate', version: '0.0.0' };
}

export const { name: packageName, version } = find(new URL(import.meta.url));
