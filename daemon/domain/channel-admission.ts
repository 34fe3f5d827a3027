/** What a channel must fulfil before it is stored, whoever writes it: a form, an import or an edit. */
import { TollgateError } from '../errors.ts';
import type { ChannelRecord } from '../store/channels.ts';
import { checkConfiguration } from './channel-configuration.ts';
import {
  type ChannelFields,
  type ChannelInput,
  type ChannelPatch,
  completeChannel,
  emptyChannel,
  groupList,
  knownType,
  readChannelInput,
} from './channel-input.ts';
import { checkKeyCount, firstKeys } from './channel-keys.ts';
import { keyReaders } from './key-readers.ts';

export interface ChannelRules {
  /** `hidden`: keys are write-only (D3). */
  readonly revealKeys: 'shown' | 'hidden';
  /** The egress guard's answer for the base address of a channel (management-api.md 8.2). */
  readonly acceptsBaseUrl: (url: string) => boolean;
}

/** A channel to be made, with its keys. */
export interface NewChannelFields {
  readonly fields: ChannelPatch & Pick<ChannelFields, 'type' | 'name'>;
  readonly keys: readonly string[];
}

/** Reads a channel to be made; `keyList` wins over the text. Throws the `channel_*` code of the first thing missing. */
export function readNewChannel(
  input: ChannelInput & { readonly keyList?: readonly string[] | undefined },
  rules: ChannelRules,
): NewChannelFields {
  const { name } = readChannelInput({ name: input.name });
  if (name === undefined) throw new TollgateError('channel_name_required', {}, { field: 'name' });
  const type = knownType(input.type);
  const keys = input.keyList?.length ? input.keyList : firstKeys(input.key ?? '', type);
  if (keys.length === 0) throw new TollgateError('channel_key_required', {}, { field: 'key' });
  checkKeyCount(keys.length);
  const patch = readChannelInput(input);
  if (!patch.models) throw new TollgateError('channel_models_required', {}, { field: 'models' });
  if (groupList(input)?.length === 0) throw new TollgateError('channel_group_required', {}, { field: 'group' });
  checkConfiguration(patch);
  const whole = { ...emptyChannel, ...patch, name, type: type.type, models: patch.models };
  const fields = completeChannel(whole, undefined, keys);
  checkBaseUrl(undefined, fields, { newKeys: keys, rules });
  return { fields, keys };
}

/**
 * The columns to write for a change, with what the type adds. Throws the `channel_*` code of what does not fit.
 * @param to `newKeys` are those that take the place of all stored ones; `keys` all that there will be, where they are
 * known (`judgesKeys`)
 */
export function readChannelChange(
  current: ChannelRecord,
  patch: ChannelPatch,
  to: { readonly newKeys: readonly string[]; readonly keys?: readonly string[]; readonly rules: ChannelRules },
): ChannelPatch {
  checkConfiguration(patch, current);
  const next = completeChannel({ ...current, ...patch }, current, to.keys ?? to.newKeys);
  checkBaseUrl(current, next, to);
  return patch.type === undefined && patch.other === undefined ? patch : { ...patch, other: next.other };
}

/** Whether a stored channel's keys would come to somebody who does not read them now (S15). */
export function movesKeys(before: KeyHolder, after: Partial<KeyHolder> & Pick<KeyHolder, 'type'>): boolean {
  // Without an address of its own a channel stands at its type's.
  const isTypeMoved = before.type !== after.type && (after.baseUrl ?? '') === '';
  return isTypeMoved || keyReaders(before) !== keyReaders(after);
}

type KeyHolder = Pick<ChannelRecord, 'baseUrl' | 'setting' | 'type'>;

/** The address must pass the guard; keys that nobody may read must not come to a new reader unseen (S15). */
function checkBaseUrl(
  before: KeyHolder | undefined,
  after: Partial<KeyHolder> & Pick<KeyHolder, 'type'>,
  { newKeys, rules }: { readonly newKeys: readonly string[]; readonly rules: ChannelRules },
): void {
  const url = after.baseUrl ?? '';
  if (url !== (before?.baseUrl ?? '') && url !== '' && !rules.acceptsBaseUrl(url)) {
    throw new TollgateError('channel_base_url_refused', {}, { field: 'base_url' });
  }
  if (rules.revealKeys === 'hidden' && newKeys.length === 0 && before !== undefined && movesKeys(before, after)) {
    throw new TollgateError('channel_key_required', {}, { field: 'key' });
  }
}

/** Whether the keys of the channel say if a change of it may be: what `other` left out may stand in them. */
export function judgesKeys(current: ChannelRecord, { type, other }: ChannelPatch): boolean {
  return (type !== undefined && type !== current.type) || (other !== undefined && other !== current.other);
}
