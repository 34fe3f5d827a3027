/** Channels of another gateway with their keys, checked like any that are made here. */
import { findChannelType } from '../contract/channel-types.ts';
import { TollgateError } from '../errors.ts';
import type { ForeignRow } from '../store/foreign-tables.ts';
import { type ChannelRules, readNewChannel } from './channel-admission.ts';
import { splitKeys } from './channel-keys.ts';
import type { ChannelToInsert, ChannelWriter } from './channel-writer.ts';
import { Cells } from './import-cells.ts';
import type { RowPlace } from './import-report.ts';
import { sharesChannelType } from './import-source.ts';
import { expectSum, freeName, type ImportWork, regrouped } from './import-work.ts';
import { openChannels } from './ledger-openings.ts';

export interface ChannelImport {
  readonly rows: readonly ForeignRow[];
  readonly writer: Pick<ChannelWriter, 'insert'>;
  readonly rules: ChannelRules;
}

interface TakenChannel {
  readonly channel: ChannelToInsert;
  readonly used: number;
}

const longestName = 255;
const enabled = 1;
const disabled = 2;
const disabledAutomatically = 3;
/** Columns whose texts are the same in that family and here. */
const sameTexts = [
  'openai_organization',
  'test_model',
  'weight',
  'priority',
  'base_url',
  'other',
  'model_mapping',
  'status_code_mapping',
  'max_input_tokens',
  'auto_ban',
  'tag',
  'setting',
  'param_override',
  'model_prefix',
] as const;

export async function importChannels(work: ImportWork, { rows, writer, rules }: ChannelImport): Promise<void> {
  const { tally, stores } = work;
  tally.found('channels', rows.length);
  // Names may repeat among themselves, there as here: what clashes is what was here before.
  const names = new Set((await stores.channels.all()).map(({ name }) => name));
  const taken: TakenChannel[] = [];
  for (const row of rows) {
    const channel = await readChannel(work, new Cells(row), { names, rules });
    if (channel !== undefined) taken.push(channel);
  }
  const records = await writer.insert(
    stores,
    taken.map(({ channel }) => channel),
  );
  const used = records.map(({ id }, index) => ({ id, used: taken[index]?.used ?? 0 }));
  await openChannels(stores, used);
  const ids = records.map(({ id }) => id);
  const amounts = used.map((entry) => entry.used);
  const sums = { amount: 'used_quota', of: 'channels', ids, amounts } as const;
  tally.sum('channels', await expectSum(work.stores, sums));
}

async function readChannel(
  work: ImportWork,
  cells: Cells,
  { names, rules }: { readonly names: Set<string>; readonly rules: ChannelRules },
): Promise<TakenChannel | undefined> {
  const { tally, onClash, family } = work;
  const place: RowPlace = { kind: 'channels', id: cells.whole('id') ?? cells.text('id') };
  const type = cells.whole('type') ?? 0;
  const used = cells.whole('used_quota');
  // The same number is another vendor there: its key must not go to the wrong one.
  if (!sharesChannelType(family, type)) return tally.fail(place, 'channel_type_unknown', 'type');
  if (used === undefined) return tally.fail(place, 'amount_invalid', 'used_quota');
  let name = cells.line('name', longestName) || `${family}-${place.id}`;
  if (names.has(name)) {
    if (onClash !== 'rename') return tally.clash(place, 'name_taken', onClash);
    name = await freeName(name, longestName, (candidate) => names.has(candidate));
    names.add(name);
    tally.adjust(place, 'renamed', 'name');
  }
  try {
    const { fields, keys } = readNewChannel(inputOf(work, cells, { name, type }), rules);
    if (used < 0) tally.adjust(place, 'amount_negative', 'used_quota');
    const state = { ...stateOf(work, place, cells), createdTime: cells.whole('created_time') ?? 0 };
    tally.taken('channels');
    return { channel: { fields: { ...fields, ...state }, keys }, used: Math.max(0, used) };
  } catch (error) {
    if (!(error instanceof TollgateError)) throw error;
    return tally.fail(place, error.code, error.field);
  }
}

function inputOf({ groupOf }: ImportWork, cells: Cells, { name, type }: { name: string; type: number }) {
  const texts = Object.fromEntries(
    sameTexts.flatMap((column) => (cells.has(column) ? [[column, cells.text(column)]] : [])),
  );
  const groups = regrouped(cells.text('group'), groupOf);
  return {
    ...texts,
    name,
    type,
    models: cells.text('models'),
    ...(groups === '' ? {} : { group: groups }),
    keyList: splitKeys(cells.text('key'), findChannelType(type) ?? {}),
  };
}

function stateOf({ tally }: ImportWork, place: RowPlace, cells: Cells): { status: number; otherInfo: string } {
  const known = [enabled, disabled, disabledAutomatically];
  const status = cells.whole('status', enabled) ?? 0;
  if (!known.includes(status)) tally.adjust(place, 'status_unknown', 'status');
  const otherInfo = cells.jsonObject('other_info');
  if (otherInfo === undefined) tally.adjust(place, 'json_invalid', 'other_info');
  return { status: known.includes(status) ? status : disabled, otherInfo: otherInfo ?? '' };
}
