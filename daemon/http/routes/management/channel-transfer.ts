/** Routes of channel files (console.md 9, N11; cli.md 7.2, E11). */
import { contract } from '../../../contract/index.ts';
import type { ChannelTransfer } from '../../../domain/channel-transfer.ts';
import type { StepUp } from '../../../domain/step-up.ts';
import { TollgateError } from '../../../errors.ts';
import { readCsvRows } from '../../csv-rows.ts';
import { implement, type Route } from '../../implement.ts';
import { channelFile, presentImport } from '../../present/channel-transfer.ts';

export const channelTransferRoutes = (transfer: ChannelTransfer, stepUp: Pick<StepUp, 'require'>): Route[] => [
  implement(contract.channels.export, async ({ actor, input, session }) => {
    if (input.keys) await stepUp.require(actor, session.id, 'channel_key');
    const { format, status, type, group, tag, ids } = input;
    const keys = input.keys ? 'with-keys' : 'without-keys';
    const filter = {
      status,
      type,
      group,
      tag,
      ids: ids?.split(',').map(Number),
    };
    return channelFile(await transfer.export(actor, filter, keys), { format, keys });
  }),
  implement(contract.channels.import, async ({ actor, input, request, session }) => {
    const rows = input.channels ?? csvRows(input.csv ?? '');
    const mode = input.dry_run ? 'dry-run' : 'write';
    const onClash = input.on_clash;
    if (mode === 'write' && (await transfer.movesKeys({ rows, onClash }))) {
      await stepUp.require(actor, session.id, 'channel_key');
    }
    return presentImport(await transfer.import(actor, { rows, onClash, mode }), mode, request.language);
  }),
];

function csvRows(text: string): Record<string, string>[] {
  if (text.trim() === '') return [];
  const rows = readCsvRows(text);
  if (!rows) throw new TollgateError('channel_import_csv', {}, { field: 'csv' });
  return rows;
}
