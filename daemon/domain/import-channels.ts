/** Channels of another gateway with their keys, checked like any that are made here. */
import { channelSettings } from '../contract/channel-settings.ts';
import { findChannelType } from '../contract/channel-types.ts';
import { TollgateError } from '../errors.ts';
import { type ChannelRules, readNewChannel } from './channel-admission.ts';
import { settingFault } from './channel-configuration.ts';
import { disabledByHand, disabledBySystem, enabled } from './channel-statuses.ts';
import type { ChannelToInsert, ChannelWriter } from './channel-writer.ts';
import { Cells } from './import-cells.ts';
import { type ForeignKeys, readForeignKeys } from './import-channel-keys.ts';
import type { RowPlace } from './import-report.ts';
import { channelTypeHere, type ForeignPortions } from './import-source.ts';
import { expectSum, freeName, type ImportWork, regrouped } from './import-work.ts';
import { openChannels } from './ledger-openings.ts';

export interface ChannelImport {
  readonly portions: ForeignPortions;
  readonly writer: Pick<ChannelWriter, 'insert' | 'hashOf' | 'setKeyStates'>;
  readonly rules: ChannelRules;
}

interface TakenChannel {
  readonly channel: ChannelToInsert;
  readonly states: ForeignKeys['states'];
  readonly used: number;
}

const longestName = 255;
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
  'param_override',
  'model_prefix',
] as const;

const settingNames = new Set(channelSettings.map(({ key }) => key));

export async function importChannels(work: ImportWork, { portions, writer, rules }: ChannelImport): Promise<void> {
  const { tally, stores } = work;
  tally.found('channels', 0);
  // Names may repeat among themselves, there as here: what clashes is what was here before.
  const names = new Set((await stores.channels.all()).map(({ name }) => name));
  for await (const rows of portions) {
    tally.found('channels', rows.length);
    const taken: TakenChannel[] = [];
    for (const row of rows) {
      const channel = await readChannel(work, new Cells(row), { names, rules });
      if (channel !== undefined) taken.push(channel);
    }
    await insertChannels(work, taken, writer);
  }
}

async function insertChannels(
  { tally, stores }: ImportWork,
  taken: readonly TakenChannel[],
  writer: ChannelImport['writer'],
): Promise<void> {
  const records = await writer.insert(
    stores,
    taken.map(({ channel }) => channel),
  );
  for (const [index, { id }] of records.entries()) {
    const states = taken[index]?.states ?? [];
    if (states.length === 0) continue;
    const wanted = states.map((state) => ({ ...state, hash: writer.hashOf(state.key), cap: undefined }));
    await writer.setKeyStates(stores, id, wanted);
  }
  const used = records.map(({ id }, index) => ({ id, used: taken[index]?.used ?? 0 }));
  await openChannels(stores, used);
  const ids = records.map(({ id }) => id);
  const amounts = used.map((entry) => entry.used);
  const sums = { amount: 'used_quota', of: 'channels', ids, amounts } as const;
  tally.sum('channels', await expectSum(stores, sums));
}

async function readChannel(
  work: ImportWork,
  cells: Cells,
  { names, rules }: { readonly names: Set<string>; readonly rules: ChannelRules },
): Promise<TakenChannel | undefined> {
  const { tally, onClash, family } = work;
  const place: RowPlace = { kind: 'channels', id: cells.whole('id') ?? cells.text('id') };
  const type = channelTypeHere(family, cells.whole('type') ?? 0);
  const used = cells.whole('used_quota');
  // The same number is another vendor there: its key must not go to the wrong one.
  if (type === undefined) return tally.fail(place, 'channel_type_unknown', 'type');
  if (used === undefined) return tally.fail(place, 'amount_invalid', 'used_quota');
  let name = cells.line('name', longestName) || `${family}-${place.id}`;
  if (names.has(name)) {
    if (onClash !== 'rename') return tally.clash(place, 'name_taken', onClash);
    name = await freeName(name, longestName, (candidate) => names.has(candidate));
    names.add(name);
    tally.adjust(place, 'renamed', 'name');
  }
  try {
    const { states, ...found } = readForeignKeys(cells, findChannelType(type) ?? {});
    const { fields, keys } = readNewChannel(inputOf(work, cells, { ...found, place, name, type }), rules);
    if (used < 0) tally.adjust(place, 'amount_negative', 'used_quota');
    const state = { ...stateOf(work, place, cells), createdTime: cells.whole('created_time') ?? 0 };
    tally.taken('channels');
    return { channel: { fields: { ...fields, ...state }, keys }, states, used: Math.max(0, used) };
  } catch (error) {
    if (!(error instanceof TollgateError)) throw error;
    return tally.fail(place, error.code, error.field);
  }
}

interface Found extends Omit<ForeignKeys, 'states'> {
  readonly place: RowPlace;
  readonly name: string;
  readonly type: number;
}

function inputOf(work: ImportWork, cells: Cells, { place, name, type, keys, mode }: Found) {
  const texts = Object.fromEntries(
    sameTexts.flatMap((column) => (cells.has(column) ? [[column, cells.text(column)]] : [])),
  );
  const groups = regrouped(cells.text('group'), work.groupOf);
  return {
    ...texts,
    // The same under the name that the tables of the family have for it.
    ...(cells.has('open_ai_organization') ? { openai_organization: cells.text('open_ai_organization') } : {}),
    name,
    type,
    models: cells.text('models'),
    ...(groups === '' ? {} : { group: groups }),
    setting: settingOf(work, cells, { place, mode }),
    keyList: keys,
  };
}

/**
 * The channel's setting with what is kept beside it: by New API headers and settings of vendors, under the same names,
 * and by One API the prompt that every call gets (one-api#1920).
 */
function settingOf({ tally }: ImportWork, cells: Cells, { place, mode }: { place: RowPlace; mode: unknown }): string {
  const own = cells.members('setting');
  const prompt = cells.text('system_prompt');
  const beside: [name: string, value: unknown][] = [
    ...Object.entries(cells.members('settings') ?? {}),
    ['header_override', cells.members('header_override')],
    ['multi_key_mode', mode],
    ...(prompt === '' ? [] : Object.entries({ system_prompt: prompt, system_prompt_override: true })),
  ];
  const taken = Object.fromEntries(
    beside.filter(
      ([name, value]) => value !== undefined && settingNames.has(name) && settingFault({ [name]: value }) === undefined,
    ),
  );
  if (cells.text('header_override') !== '' && taken.header_override === undefined) {
    tally.adjust(place, 'json_invalid', 'header_override');
  }
  // A setting that cannot be read is refused with its name by whoever checks the channel.
  const isUnreadable = own === undefined && cells.text('setting') !== '';
  return isUnreadable || Object.keys(taken).length === 0 ? cells.text('setting') : JSON.stringify({ ...taken, ...own });
}

function stateOf({ tally }: ImportWork, place: RowPlace, cells: Cells): { status: number; otherInfo: string } {
  const known = [enabled, disabledByHand, disabledBySystem];
  const status = cells.whole('status', enabled) ?? 0;
  if (!known.includes(status)) tally.adjust(place, 'status_unknown', 'status');
  const otherInfo = cells.jsonObject('other_info');
  if (otherInfo === undefined) tally.adjust(place, 'json_invalid', 'other_info');
  return { status: known.includes(status) ? status : disabledByHand, otherInfo: otherInfo ?? '' };
}
