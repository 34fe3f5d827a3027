/** JSON fields of rows that commands print as an endpoint answers them. */
import { fieldNames } from './field-names.ts';

/** @param endpoint one that a command names as its `rows` */
export function rowFields(endpoint: string): readonly string[] {
  return fieldNames[endpoint]?.split(' ') ?? [];
}
