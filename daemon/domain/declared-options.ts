/** Options in declared state: typed values by key, but for those that groups, prices and limits stand for. */
import {
  formatOption,
  isOptionKey,
  type OptionKey,
  optionKeys,
  optionTable,
  parseOption,
} from '../contract/options.ts';
import { keep } from '../contract/state-document.ts';
import { declaredOption, declaredText, sectionOf } from '../contract/state-options.ts';
import { TollgateError } from '../errors.ts';
import { optionSealContext, type Unseal } from '../snapshots/options-view.ts';
import {
  atPlace,
  type DeclaredKind,
  type KindView,
  type LiveObject,
  SecretDigests,
  type StateReading,
  type WantedObject,
} from './declared-objects.ts';
import type { OptionWriter } from './option-writer.ts';

export interface DeclaredOptionsDeps {
  readonly writer: Pick<OptionWriter, 'checkedText' | 'defaultText'>;
  readonly unseal: Unseal;
  /** Keyed hash of a secret. */
  readonly digest: (secret: string) => string;
}

const path = 'value';

export function declaredOptions(deps: DeclaredOptionsDeps): DeclaredKind {
  return { kind: 'option', view: async (reading) => viewOptions(deps, reading) };
}

function viewOptions(deps: DeclaredOptionsDeps, { document, texts, writerOf }: StateReading): KindView {
  const { writer, unseal, digest } = deps;
  const live = new Map<string, LiveObject>();
  for (const key of optionKeys) {
    if (sectionOf(key) !== undefined) continue;
    const standard = writer.defaultText(key);
    const text = texts.get(key) ?? standard;
    const isThere = text !== standard;
    const value = optionTable[key].secret
      ? secretValue(isThere ? digest(unseal(optionSealContext(key), text)) : undefined)
      : documentValue(key, text);
    live.set(key, { target: key, key, fields: { [path]: value }, isThere });
  }
  const wantedTexts = new Map<OptionKey, string>();
  const wanted = Object.entries(document.options ?? {}).map(([name, sent]): WantedObject => {
    const key = declaredKey(name);
    if (optionTable[key].secret && isKept(key, sent)) return { key, target: key, fields: {}, kept: [path] };
    const text = atPlace('options', () => writer.checkedText(key, textOf(key, sent)));
    wantedTexts.set(key, text);
    const value = optionTable[key].secret ? secretValue(digest(text)) : documentValue(key, text);
    return { key, target: key, fields: { [path]: value } };
  });
  return {
    live,
    wanted,
    defaultOf: (target) => {
      if (target === undefined || !isOptionKey(target)) return undefined;
      return optionTable[target].secret ? secretValue(undefined) : documentValue(target, writer.defaultText(target));
    },
    isRootOnly: (target) => target !== undefined && isOptionKey(target) && optionTable[target].class === 'root',
    writerOf: (target) => (isOptionKey(target) ? writerOf(target) : undefined),
    prepare: (changes) => {
      const options = new Map<OptionKey, string | undefined>();
      for (const { target, action } of changes) {
        if (target === undefined || !isOptionKey(target)) continue;
        options.set(target, action === 'delete' ? undefined : wantedTexts.get(target));
      }
      return { options };
    },
  };
}

/** Throws `state_option_unknown`, `state_option_elsewhere`. */
function declaredKey(name: string): OptionKey {
  const key = declaredOption(name);
  if (typeof key === 'string') return key;
  throw new TollgateError(key.code, key.params, { field: `options.${key.params.key}` });
}

/** Whether a secret stays as it is stored. Throws `state_secret_inline` for what is neither that nor a resolved reference. */
function isKept(key: OptionKey, sent: unknown): boolean {
  if (sent === keep) return true;
  if (resolvedSecret(sent) !== undefined) return false;
  throw new TollgateError('state_secret_inline', { key }, { field: `options.${key}` });
}

function resolvedSecret(sent: unknown): string | undefined {
  if (typeof sent !== 'object' || sent === null || !('value' in sent)) return undefined;
  return typeof sent.value === 'string' && sent.value !== '' ? sent.value : undefined;
}

function secretValue(digest: string | undefined): unknown {
  return digest === undefined ? null : new SecretDigests([digest]);
}

/** A text as the document writes the value: switches and numbers as such, lists as lists, JSON as it is. */
function documentValue<K extends OptionKey>(key: K, text: string): unknown {
  const parsed = parseOption(key, text);
  if (!parsed.ok) return text;
  return optionTable[key].form === 'status-ranges' ? formatOption(key, parsed.value) : parsed.value;
}

/** The text of a typed value; whoever asks tells the place. Throws `state_value_invalid` for a value of another type. */
function textOf(key: OptionKey, sent: unknown): string {
  if (optionTable[key].secret) return resolvedSecret(sent) ?? '';
  const text = declaredText(key, sent);
  if (typeof text === 'string') return text;
  throw new TollgateError(text.code, text.params, { field: key });
}
