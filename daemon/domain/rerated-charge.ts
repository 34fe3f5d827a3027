/**
 * What the row of a charge tells of its call, and what that call comes to by another book of prices. Pure: rows come from
 * the log, books from versions of prices.
 */
import {
  emptyUsage,
  type ToolCounts,
  type ToolImage,
  type ToolName,
  toolNames,
  type Usage,
} from '../relay/canonical/usage.ts';
import type { LogRecord } from '../store/logs.ts';
import { Decimal } from './decimal.ts';
import type { GroupRatio, Price, PriceBook, PriceNames } from './price-book.ts';
import { type Charge, computeCharge, type ImageSpec } from './pricing.ts';

export type Facts = Readonly<Record<string, unknown>>;

/** A charge that can be worked out again, as far as its row tells. */
export interface ChargedCall {
  /** The version of prices that it was charged by. */
  readonly version: number;
  readonly names: PriceNames;
  readonly group: GroupRatio;
  readonly usage: Usage;
  readonly image: ImageSpec | undefined;
  /** The row stands for a tool that ran within the call. */
  readonly tool: ToolName | undefined;
  /** It was charged at the ratio of models without a price. */
  readonly unpriced: boolean;
  /** All that the row says beside its columns. */
  readonly facts: Facts;
}

/**
 * Why a charge is left as it is: its row names no version; it was charged turn by turn; it goes back as a whole when its
 * task fails; its version is forgotten; nothing was charged though the call has a price; the row's own version does not
 * give the row's own charge; the other prices have none for the model.
 */
export type RerateRefusal =
  | 'no_version'
  | 'session'
  | 'task'
  | 'version_forgotten'
  | 'waived'
  | 'not_reproducible'
  | 'unpriced';

/** What a call comes to. */
export interface RepricedCharge {
  /** Of the row: the answer without its tools, or one tool. */
  readonly quota: number;
  readonly price: Price;
  readonly charge: Charge;
}

/** How a name is looked up: by its channel's prefix and mapping, and by the path that was called. */
export type NamesOfCall = (call: {
  readonly channelId: number;
  readonly model: string;
  readonly path: string;
}) => Omit<PriceNames, 'client'>;

/** Undefined for rows that are no charge: failed calls and attempts, and tests of channels. */
export function chargedCall(row: LogRecord, namesOf: NamesOfCall): ChargedCall | RerateRefusal | undefined {
  const facts = factsOf(row.other);
  if (row.failed || row.userId === 0 || facts.is_test === true) return undefined;
  if (facts.ws === true) return 'session';
  if (typeof facts.task_id === 'string') return 'task';
  if (typeof facts.price_version !== 'number') return 'no_version';
  const model = row.modelName;
  const tool = toolOf(facts.tool);
  const named = namesOf({ channelId: row.channelId, model, path: textIn(facts, 'request_path') ?? '' });
  const ratio = numberIn(facts, 'group_ratio');
  return {
    version: facts.price_version,
    names: { ...named, client: model, upstream: textIn(facts, 'upstream_model_name') ?? named.upstream },
    group: groupOf(facts, ratio),
    usage: tool === undefined ? usageOf(row, facts) : { ...emptyUsage(), tools: toolCounts([tool]) },
    image: facts.images === undefined ? undefined : { size: textIn(facts, 'size'), quality: textIn(facts, 'quality') },
    tool: tool?.name,
    unpriced: facts.unpriced === true,
    facts,
  };
}

/** Undefined where the book has no price for the call. */
export function repriced(call: ChargedCall, book: PriceBook): RepricedCharge | undefined {
  const { names, group, usage, image, tool, unpriced } = call;
  const price = book.find(names, { unpriced });
  if (price === undefined) return undefined;
  const charge = computeCharge({ price, group, usage, ...(image === undefined ? {} : { image }) });
  const quota = tool === undefined ? charge.main : (charge.tools[0]?.quota ?? 0);
  return { quota, price, charge };
}

/** The members of a row's `other`; none for a text that is no object. */
function factsOf(text: string): Facts {
  if (!text.startsWith('{')) return {};
  const facts: unknown = JSON.parse(text);
  return isFacts(facts) ? facts : {};
}

function isFacts(value: unknown): value is Facts {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function numberIn(facts: Facts, name: string): number {
  const value = facts[name];
  return typeof value === 'number' ? value : 0;
}

function textIn(facts: Facts, name: string): string | undefined {
  const value = facts[name];
  return typeof value === 'string' ? value : undefined;
}

function groupOf(facts: Facts, ratio: number): GroupRatio {
  const rateRule = textIn(facts, 'rate_rule');
  return {
    ratio,
    exact: Decimal.of(ratio),
    missing: false,
    ...(typeof facts.user_group_ratio === 'number' ? { userGroupRatio: facts.user_group_ratio } : {}),
    ...(rateRule === undefined ? {} : { rateRule }),
  };
}

interface ToldTool {
  readonly name: ToolName;
  readonly count: number;
  readonly image: ToolImage | undefined;
}

function toolOf(value: unknown): ToldTool | undefined {
  if (!isFacts(value)) return undefined;
  const name = toolNames.find((known) => known === value.name);
  return (
    name && { name, count: numberIn(value, 'count'), image: isFacts(value.image) ? imageOf(value.image) : undefined }
  );
}

function imageOf(facts: Facts): ToolImage {
  const size = textIn(facts, 'size');
  const quality = textIn(facts, 'quality');
  return {
    model: textIn(facts, 'model') ?? '',
    ...(size === undefined ? {} : { size }),
    ...(quality === undefined ? {} : { quality }),
  };
}

function toolCounts(told: readonly ToldTool[]): ToolCounts {
  const counts: ToolCounts = {};
  const images: ToolImage[] = [];
  for (const { name, count, image } of told) {
    counts[name] = (counts[name] ?? 0) + count;
    if (image !== undefined) images.push(...Array.from({ length: count }, () => image));
  }
  return images.length === 0 ? counts : { ...counts, images };
}

/** What was used, by the columns and members that the answer's usage went into. */
function usageOf(row: LogRecord, facts: Facts): Usage {
  const cached = numberIn(facts, 'cache_tokens');
  const written = numberIn(facts, 'cache_creation_tokens');
  const cacheCreation1h = numberIn(facts, 'cache_creation_tokens_1h');
  // Anthropic's counts leave out what was read from a cache and written to it.
  const hidden = facts.claude === true ? cached + written : 0;
  const surcharges = Array.isArray(facts.tool_surcharges) ? facts.tool_surcharges.map(toolOf) : [];
  return {
    ...emptyUsage(facts.usage_estimated === true ? 'estimated' : 'upstream'),
    prompt: row.promptTokens + hidden,
    completion: row.completionTokens,
    cached,
    cacheCreation5m: written - cacheCreation1h,
    cacheCreation1h,
    promptAudio: numberIn(facts, 'audio_input'),
    completionAudio: numberIn(facts, 'audio_output'),
    promptImage: numberIn(facts, 'image'),
    completionImage: numberIn(facts, 'image_output'),
    units: {
      ...(typeof facts.images === 'number' ? { images: facts.images } : {}),
      ...(typeof facts.seconds === 'number' ? { seconds: facts.seconds } : {}),
      ...(typeof facts.search_units === 'number' ? { searchUnits: facts.search_units } : {}),
    },
    tools: toolCounts(surcharges.filter((tool) => tool !== undefined)),
  };
}
