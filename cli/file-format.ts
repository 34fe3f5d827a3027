/** The form of files that the server writes: `--format`, else the ending of `--out`, else csv. */
import { usageError } from './errors.ts';
import { both } from './language.ts';

const formats = ['csv', 'ndjson'] as const;
export type FileFormat = (typeof formats)[number];

/** Throws exit 3 for a format that there is not. */
export function fileFormatOf(flags: Readonly<Record<string, unknown>>): FileFormat {
  const wanted = flags.format ?? (/\.ndjson(?:\.gz)?$/.test(String(flags.out ?? '')) ? 'ndjson' : 'csv');
  const format = formats.find((known) => known === wanted);
  if (format !== undefined) return format;
  throw usageError(both(`no format ${wanted}`, `没有格式 ${wanted}`), { field: '--format' });
}
