/** The names that a key gives to models (C28): what is asked under one is limited, priced and logged as what it stands for. */
import { endOfChain, type ModelMapping } from '../contract/model-mapping.ts';
import type { Identity } from '../snapshots/identities.ts';

/** From a name that calls of the key use to the model at the end of its chain; `*` takes every other name. */
export type ModelAliases = ReadonlyMap<string, string>;

/** Undefined for a key without any, as most are. The text was checked when it was saved. */
export function aliasesOf({ modelMapping }: Pick<Identity['token'], 'modelMapping'>): ModelAliases | undefined {
  if (modelMapping === '') return undefined;
  const mapping: ModelMapping = JSON.parse(modelMapping);
  return new Map(Object.keys(mapping).map((name) => [name, endOfChain(mapping, name) ?? name]));
}

/** What a name stands for; itself where the key says nothing of it. */
export function modelBehind(name: string, aliases: ModelAliases | undefined): string {
  return aliases === undefined ? name : (aliases.get(name) ?? aliases.get('*') ?? name);
}
