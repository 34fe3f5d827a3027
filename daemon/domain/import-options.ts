/** Options of another gateway: those that are options here, too, and say what they may. */
import { isOptionKey, type OptionKey, optionTable } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import type { ForeignRow } from '../store/foreign-tables.ts';
import { Cells } from './import-cells.ts';
import type { RowPlace } from './import-report.ts';
import type { ImportWork } from './import-work.ts';
import { type OptionWriter, turnOf } from './option-writer.ts';
import { priceTextsOf } from './price-versions.ts';

export interface OptionImport {
  readonly rows: readonly ForeignRow[];
  readonly writer: OptionWriter;
}

interface Wanted {
  readonly place: RowPlace;
  readonly key: OptionKey;
  readonly text: string;
}

/** Options that New API has under another name, with the same meaning. */
const namesHere: ReadonlyMap<string, OptionKey> = new Map([
  ['CreateCacheRatio', 'CacheCreationRatio'],
  ['checkin_setting.enabled', 'CheckInEnabled'],
  ['checkin_setting.min_quota', 'CheckInQuota'],
  ['checkin_setting.max_quota', 'CheckInMaxQuota'],
]);
/** Options whose members are named by groups. */
const byGroup = new Set<OptionKey>(['GroupRatio', 'UserUsableGroups', 'TopupGroupRatio', 'GroupGroupRatio']);

export async function importOptions(work: ImportWork, { rows, writer }: OptionImport): Promise<void> {
  const { tally, stores, actor, family } = work;
  tally.found('options', rows.length);
  const wanted = rows.flatMap((row) => readOption(work, new Cells(row), writer) ?? []);
  const keys = wanted.map(({ key }) => key);
  const before = await priceTextsOf(stores, keys);
  for (const { place, key, text } of wanted.sort((one, other) => turnOf(one.key) - turnOf(other.key))) {
    if (await isKept(work, writer, { place, key, text })) continue;
    try {
      await writer.replace(stores, { actor, key, text });
      tally.taken('options');
    } catch (error) {
      if (!(error instanceof TollgateError)) throw error;
      tally.fail(place, error.code);
    }
  }
  await writer.noteVersion(stores, { actor, before, reason: { cause: 'option', note: `import ${family}` } });
}

function readOption({ tally, groupOf }: ImportWork, cells: Cells, writer: OptionWriter): Wanted | undefined {
  const there = cells.text('key');
  const place: RowPlace = { kind: 'options', id: there.slice(0, 100) };
  const key = namesHere.get(there) ?? there;
  if (!isOptionKey(key)) return tally.skip(place, 'option_unknown');
  const text = cells.text('value');
  if (optionTable[key].secret && text === '') return tally.skip(place, 'same');
  try {
    return { place, key, text: writer.checkedText(key, byGroup.has(key) ? underGroups(text, groupOf) : text) };
  } catch (error) {
    if (!(error instanceof TollgateError)) throw error;
    return tally.fail(place, error.code);
  }
}

/** What says the same already, and what was set here: nobody has asked for that to change. */
async function isKept(
  { tally, stores, onClash }: ImportWork,
  writer: OptionWriter,
  { place, key, text }: Wanted,
): Promise<boolean> {
  const stored = await stores.options.find(key);
  if (stored === undefined && text !== writer.defaultText(key)) return false;
  if (stored === undefined || stored.value === text) tally.skip(place, 'same');
  else tally.clash(place, 'option_set_here', onClash);
  return true;
}

/** The text of a JSON object with its groups under their names here; what a group of that name says itself stays. */
function underGroups(text: string, groupOf: (name: string) => string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return text;
  const entries = Object.entries(value);
  const moved = entries.filter(([name]) => groupOf(name) !== name).map(([name, entry]) => [groupOf(name), entry]);
  return JSON.stringify(Object.fromEntries([...moved, ...entries.filter(([name]) => groupOf(name) === name)]));
}
