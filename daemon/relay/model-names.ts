/**
 * The names one model goes by on its way to a channel: the client's, the bare one behind the channel's prefix, the one
 * sent upstream (relay.md 12.1 to 12.3). Suffixes that ask for an effort are read last, and only from names of the
 * families that own them.
 */

export interface ModelResolution {
  /** The client's name without the channel's prefix. */
  readonly bare: string;
  /** Name sent upstream. */
  readonly upstream: string;
  /** The name sent differs from the bare one by the channel's mapping; a suffix does not count. */
  readonly isMapped: boolean;
  /** Effort that a suffix asked for. */
  readonly reasoningEffort: string | undefined;
  /** An operator chose the name: no part of it is a suffix, whatever it ends in. */
  readonly isLiteral: boolean;
}

/** The part of a channel that names depend on. */
export interface NamingRules {
  /** Empty for none. */
  readonly prefix: string;
  readonly mapping: Readonly<Record<string, string>>;
  /** Names are taken literally: no suffix means anything (`setting.keep_suffix`). */
  readonly keepsSuffix: boolean;
}

const maxHops = 10;

/** What a client's name becomes on a channel; undefined for a mapping that runs in a circle or too far. */
export function resolveModel(client: string, rules: NamingRules): ModelResolution | undefined {
  const bare = withoutPrefix(client, rules.prefix);
  const mapped = followMapping(bare, rules.mapping);
  if (mapped === undefined) return undefined;
  const isMapped = mapped !== bare;
  const isWritten = Object.hasOwn(rules.mapping, bare) || wildcard(rules.mapping) !== undefined;
  if (isMapped || rules.keepsSuffix || isWritten) {
    return { bare, upstream: mapped, isMapped, reasoningEffort: undefined, isLiteral: true };
  }
  const { model, effort } = splitEffort(mapped);
  return { bare, upstream: model, isMapped, reasoningEffort: effort, isLiteral: false };
}

/** Cuts a channel's prefix once; a name without it stays whole. */
export function withoutPrefix(model: string, prefix: string): string {
  return prefix !== '' && model.startsWith(prefix) ? model.slice(prefix.length) : model;
}

/** Follows a mapping to its end; `*` takes what has no entry of its own. Undefined for a circle and for too many hops. */
export function followMapping(start: string, mapping: Readonly<Record<string, string>>): string | undefined {
  let name = start;
  for (let hop = 0; hop <= maxHops; hop += 1) {
    const target = Object.hasOwn(mapping, name) ? mapping[name] : hop === 0 ? wildcard(mapping) : undefined;
    if (target === undefined || target === name) return name;
    name = target;
  }
  return undefined;
}

function wildcard(mapping: Readonly<Record<string, string>>): string | undefined {
  return Object.hasOwn(mapping, '*') ? mapping['*'] : undefined;
}

/** Names that may end in an effort: OpenAI's reasoning models and the Grok model that has two. */
const effortFamilies: readonly RegExp[] = [/^(?:o[134]|gpt-[56])(?:[-.]|$)/, /^grok-3-mini/];
const effortSuffix = /-(none|minimal|low|medium|high|xhigh)$/;

function splitEffort(model: string): { model: string; effort: string | undefined } {
  const family = model.slice(model.lastIndexOf('/') + 1);
  const suffix = effortSuffix.exec(model);
  if (suffix === null || !effortFamilies.some((pattern) => pattern.test(family))) return { model, effort: undefined };
  return { model: model.slice(0, suffix.index), effort: suffix[1] };
}
