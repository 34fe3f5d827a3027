/** The texts of a row whose call is charged by other prices: what it says of prices is replaced, what it says of the call stays. */
import type { LogRecord } from '../store/logs.ts';
import type { ChargedCall, Facts, RepricedCharge } from './rerated-charge.ts';
import { priceMembers } from './usage-log.ts';
import { type LogLanguage, priceContent } from './usage-log-content.ts';

/** One change of a row's charge, the newest last. */
export interface RerateNote {
  /** Versions of prices. */
  readonly from: number;
  readonly to: number;
  /** What was charged before. */
  readonly quota: number;
  /** Unix seconds. */
  readonly at: number;
}

/** The texts of the row as it becomes. */
export function reratedTexts(
  row: Pick<LogRecord, 'content' | 'other'>,
  change: {
    readonly call: ChargedCall;
    readonly old: RepricedCharge;
    readonly new: RepricedCharge;
    readonly language: LogLanguage;
    readonly note: RerateNote;
  },
): Pick<LogRecord, 'content' | 'other'> {
  const { call, language, note } = change;
  const told = Array.isArray(call.facts.rerated) ? call.facts.rerated : [];
  const { long_context_tier: _tier, unpriced: _unpriced, price_usd: _usd, ...facts } = call.facts;
  const other = {
    ...facts,
    ...JSON.parse(`{${priceMembers(change.new.price, call.group, change.new.charge)}}`),
    ...(call.tool === undefined ? answerMembers(call, change.new) : toolMembers(call, change.new)),
    price_version: note.to,
    rerated: [...told, note],
  };
  const line = (by: RepricedCharge) =>
    priceContent(language, { price: by.price, groupRatio: call.group, ratios: by.charge.ratios, kind: kindOf(call) });
  const before = line(change.old);
  const isKnown = call.tool === undefined && row.content.startsWith(before);
  return {
    content: isKnown ? line(change.new) + row.content.slice(before.length) : row.content,
    other: JSON.stringify(other),
  };
}

function kindOf({ facts }: ChargedCall): 'audio' | 'text' {
  return facts.audio === true ? 'audio' : 'text';
}

function answerMembers({ facts }: ChargedCall, { charge }: RepricedCharge): Facts {
  const { ratios, tools, usd } = charge;
  const ratioMembers: Facts = {
    cache_creation_ratio: ratios?.cacheCreation ?? 0,
    cache_creation_ratio_5m: ratios?.cacheCreation ?? 0,
    cache_creation_ratio_1h: ratios?.cacheCreation1h ?? 0,
    audio_ratio: ratios?.audio ?? 0,
    audio_completion_ratio: ratios?.audioCompletion ?? 0,
    image_ratio: ratios?.image ?? 0,
    image_completion_ratio: ratios?.imageCompletion ?? 0,
  };
  return {
    ...Object.fromEntries(Object.entries(ratioMembers).filter(([name]) => Object.hasOwn(facts, name))),
    ...(tools.length > 0 ? { tool_surcharges: tools } : {}),
    ...(usd === undefined ? {} : { price_usd: usd }),
  };
}

function toolMembers({ facts }: ChargedCall, { charge }: RepricedCharge): Facts {
  const [first] = charge.tools;
  if (first === undefined) return { tool: facts.tool };
  const { quota: _, ...tool } = first;
  return { tool: Object.assign({}, facts.tool, tool) };
}
