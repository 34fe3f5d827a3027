/** Content types of files, by the word with which a caller chooses one. */
export const fileTypes = {
  text: 'text/plain',
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  html: 'text/html',
} as const;
export type FileFormat = keyof typeof fileTypes;

export function isFileFormat(word: unknown): word is FileFormat {
  return typeof word === 'string' && Object.hasOwn(fileTypes, word);
}
