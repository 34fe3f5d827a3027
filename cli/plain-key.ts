/** A key alone: bare, so that a pipe gets nothing else, and as the member that the server gives where a form was asked for. */
import type { CommandContext } from './context.ts';
import type { View } from './output/columns.ts';

export interface KeyRow {
  readonly key: string;
}

export const plainKeyView: View<KeyRow> = {
  columns: [{ heading: 'KEY', value: (row) => row.key }],
  fields: ['key'],
  id: (row) => row.key,
  verbatim: true,
};

/** Prints it with a line feed behind it; several keys are a line each. */
export async function printKey(context: CommandContext, key: string): Promise<void> {
  if (isFormAsked(context)) await context.printer.one({ key }, plainKeyView);
  else await context.printer.text(`${key}\n`);
}

/** Whether rows were asked for, by a flag or by the ending of `--out`. */
export function isFormAsked({ flags, printer }: CommandContext): boolean {
  return flags.output !== undefined || flags.columns !== undefined || !['table', 'tsv'].includes(printer.format);
}
