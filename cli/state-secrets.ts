/** References to secrets in a document of declared state: resolved here, sent over TLS, and kept nowhere. */
import type { SentSecret, StateDocument, StateFile } from '../daemon/contract/state-document.ts';
import type { CommandContext } from './context.ts';
import { usageError } from './errors.ts';
import { both } from './language.ts';
import type { WhereIs } from './state-files.ts';

/** `inline`: texts that are no reference are taken as secrets. */
export type InlineSecrets = 'refuse' | 'inline';

/** What is said of a place where no file is known that has it. */
const byName: WhereIs = (place) => place.map(String).join('.');

/** The document as it is sent. Throws exit 3 for a secret that stands in the file or a variable that is not set, 12 for a file. */
export async function resolveSecrets(
  context: CommandContext,
  { options, channels, alerts, ...rest }: StateFile,
  { inline, whereIs = byName }: { readonly inline: InlineSecrets; readonly whereIs?: WhereIs },
): Promise<StateDocument> {
  const { keep } = await import('../daemon/contract/state-document.ts');
  const { isOptionKey, optionTable } = await import('../daemon/contract/options.ts');
  const resolve = async (reference: string, at: readonly PropertyKey[]): Promise<SentSecret> => {
    if (reference === keep) return keep;
    const place = whereIs(at);
    if (!/^(?:env|file):/.test(reference) && inline === 'refuse') {
      throw usageError(both(`${place} holds a secret itself`, `${place} 直接写有机密`), {
        field: place,
        hint: both('write env:NAME, file:PATH or keep', '请写 env:名称、file:路径 或 keep'),
      });
    }
    if (!/^(?:env|file):/.test(reference)) return { value: reference };
    return { value: await context.secret(reference, place) };
  };
  const sentOptions: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(options ?? {})) {
    const isSecret = isOptionKey(key) && optionTable[key].secret && typeof value === 'string';
    sentOptions[key] = isSecret ? await resolve(value, ['options', key]) : value;
  }
  const sentChannels: NonNullable<StateDocument['channels']> = {};
  for (const [name, { keys, ...channel }] of Object.entries(channels ?? {})) {
    if (keys === keep) sentChannels[name] = { ...channel, keys: keep };
    else if (!Array.isArray(keys)) sentChannels[name] = channel;
    else {
      const sent: SentSecret[] = [];
      for (const [at, key] of keys.entries()) sent.push(await resolve(key, ['channels', name, 'keys', at]));
      sentChannels[name] = { ...channel, keys: sent };
    }
  }
  const targets: NonNullable<NonNullable<StateDocument['alerts']>['targets']> = {};
  for (const [id, { secret, secret_address: address, ...target }] of Object.entries(alerts?.targets ?? {})) {
    const place = ['alerts', 'targets', id];
    targets[id] = {
      ...target,
      ...(secret === undefined ? {} : { secret: await resolve(secret, [...place, 'secret']) }),
      ...(address === undefined ? {} : { secret_address: await resolve(address, [...place, 'secret_address']) }),
    };
  }
  return {
    ...rest,
    ...(options && { options: sentOptions }),
    ...(channels && { channels: sentChannels }),
    ...(alerts && { alerts: { ...(alerts.rules && { rules: alerts.rules }), ...(alerts.targets && { targets }) } }),
  };
}
