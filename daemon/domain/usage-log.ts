/**
 * Log rows of relay calls (relay.md 16): what was consumed, what failed, what a channel test would have cost.
 * On the hot path, so what depends on the price alone is prepared once per price and group ratio.
 */
import type { Usage } from '../relay/canonical/usage.ts';
import type { NewLogRow } from '../store/logs.ts';
import { JsonMembers } from './json-members.ts';
import type { GroupRatio, Price } from './price-book.ts';
import { countOf, type TokenRatios } from './price-rates.ts';
import type { Charge } from './pricing.ts';
import { storable } from './storable-text.ts';
import { contentNotes, type LogLanguage, priceContent } from './usage-log-content.ts';
import type { AnswerFacts, AttemptEntry, CallFacts, FailureFacts } from './usage-log-facts.ts';

/** Type of rows that document consumption. */
export const CONSUME_ROW = 2;

/** The part of a row that price, tier and group ratio decide. */
interface PriceConstants {
  readonly content: string;
  readonly members: string;
}

/** What differs between the rows of one request. */
interface RowFigures {
  readonly quota: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly content: string;
  readonly other: string;
  readonly failed: boolean;
  readonly cost: number;
}

const NO_FIGURES = { quota: 0, promptTokens: 0, completionTokens: 0, failed: false, cost: 0 };

export class UsageLog {
  readonly #language: LogLanguage;
  readonly #constants = new WeakMap<Price, Map<string, PriceConstants>>();

  /** @param deps.language the site's language: that of every content line. */
  constructor(deps: { language: LogLanguage }) {
    this.#language = deps.language;
  }

  /** Rows of an answered request: the main row, then one for each tool that ran. Their quota adds up to the charge. */
  consumed(call: CallFacts, answer: AnswerFacts): NewLogRow[] {
    const rows = [this.#answerRow(call, answer, { quota: answer.charge.main })];
    if (answer.charge.tools.length === 0) return rows;
    const { members } = this.#constantsOf(answer);
    for (const { quota, ...tool } of answer.charge.tools) {
      const other = new JsonMembers()
        .json('tool', tool)
        .members(members)
        .text('settle_reason', call.reason)
        .text('group', call.group)
        .raw('admin_info', adminInfo(call, answer))
        .toString();
      rows.push(rowOf(call, { ...NO_FIGURES, quota, content: `${tool.name} x ${tool.count}`, other }));
    }
    return rows;
  }

  /** Row of a channel test: what it would have cost stands in `other.test_quota`, charged to nobody. */
  tested(call: CallFacts, answer: AnswerFacts): NewLogRow {
    return this.#answerRow(call, answer, { quota: 0, testQuota: answer.charge.quota });
  }

  /**
   * Row of a request that no upstream answered; costs nothing.
   * @param askedLast channel whose failure ended it, so that it is found there
   */
  failed(call: CallFacts, failure: FailureFacts, askedLast: number): NewLogRow {
    const { type, code, status, originalStatus } = failure;
    const other = new JsonMembers();
    addCall(other, call);
    other
      .json('error', { type, code, status, original_status: originalStatus ?? status })
      .raw('admin_info', adminInfo(call, undefined));
    const content = storable(failure.message);
    const row = rowOf(call, { ...NO_FIGURES, content, other: other.toString(), failed: true });
    return { ...row, channelId: askedLast };
  }

  /**
   * Row of an attempt that cost the operator something and did not answer: it belongs to no user and charges nobody, and
   * stands under the channel that was asked.
   */
  attempted(call: CallFacts, attempt: AttemptEntry): NewLogRow {
    const { channel, message, cost, ...facts } = attempt;
    const other = new JsonMembers()
      .json('attempt', facts)
      .text('request_path', call.requestPath)
      .text('group', call.group)
      .toString();
    const row = rowOf(call, { ...NO_FIGURES, content: storable(message), other, failed: true, cost: cost ?? 0 });
    return { ...row, userId: 0, username: '', tokenId: 0, tokenName: '', ip: null, channelId: channel };
  }

  #answerRow(call: CallFacts, answer: AnswerFacts, money: { quota: number; testQuota?: number }): NewLogRow {
    const { usage } = answer;
    const constants = this.#constantsOf(answer);
    const other = new JsonMembers();
    addCall(other, call);
    other.members(constants.members);
    addUsage(other, answer);
    if (money.testQuota !== undefined) other.flag('is_test', true).number('test_quota', money.testQuota);
    other.raw('admin_info', adminInfo(call, answer));
    const hidden =
      answer.promptColumn === 'exclusive' ? usage.cached + usage.cacheCreation5m + usage.cacheCreation1h : 0;
    const notes = contentNotes(this.#language, call, answer, shownModel(call.modelName));
    return rowOf(call, {
      quota: money.quota,
      promptTokens: Math.max(0, countOf(usage.prompt) - countOf(hidden)),
      completionTokens: countOf(usage.completion),
      content: notes === '' ? constants.content : storable(constants.content + notes),
      other: other.toString(),
      failed: false,
      cost: answer.cost,
    });
  }

  #constantsOf({ price, groupRatio, charge, kind }: AnswerFacts): PriceConstants {
    let variants = this.#constants.get(price);
    if (!variants) {
      variants = new Map();
      this.#constants.set(price, variants);
    }
    const { ratio, userGroupRatio, rateRule } = groupRatio;
    const key = `${ratio}:${userGroupRatio ?? ''}:${charge.tier?.input_over ?? ''}:${charge.tier?.output_over ?? ''}:${kind}:${rateRule ?? ''}`;
    let found = variants.get(key);
    if (!found) {
      const content = priceContent(this.#language, { price, groupRatio, ratios: charge.ratios, kind });
      found = { content, members: priceMembers(price, groupRatio, charge) };
      variants.set(key, found);
    }
    return found;
  }
}

function rowOf(call: CallFacts, figures: RowFigures): NewLogRow {
  return {
    userId: call.userId,
    createdAt: Math.floor(call.endedAtMs / 1000),
    type: CONSUME_ROW,
    content: figures.content,
    username: call.username,
    tokenName: call.tokenName,
    modelName: shownModel(call.modelName),
    quota: figures.quota,
    promptTokens: figures.promptTokens,
    completionTokens: figures.completionTokens,
    useTime: Math.max(0, Math.floor((call.endedAtMs - call.startedAtMs) / 1000)),
    isStream: call.isStream,
    channelId: call.channelId,
    tokenId: call.tokenId,
    group: call.group,
    other: figures.other,
    requestId: call.requestId,
    failed: figures.failed,
    ip: call.ip,
    cost: figures.cost,
  };
}

/** Gizmo names are logged under their wildcard, so that a model list does not grow with every gizmo. */
function shownModel(name: string): string {
  return storable(name.includes('gizmo-') ? name.replace(/(gpt-4o?-gizmo-).*/, '$1*') : name);
}

/** What a row says of its price, as the members of a JSON object. */
export function priceMembers(price: Price, groupRatio: GroupRatio, charge: Charge): string {
  const { ratios, tier } = charge;
  const members = new JsonMembers()
    .number('model_ratio', ratios?.model ?? 0)
    .number('completion_ratio', ratios?.completion ?? 0)
    .number('group_ratio', groupRatio.ratio)
    .number('model_price', price.mode === 'fixed' ? price.price : -1)
    .number('cache_ratio', ratios?.cache ?? 0)
    .number('user_group_ratio', groupRatio.userGroupRatio)
    .text('rate_rule', groupRatio.rateRule)
    .number('price_version', price.site.version)
    .flag('unpriced', price.unpriced);
  if (tier) members.json('long_context_tier', { input_over: tier.input_over });
  return members.content;
}

function addCall(other: JsonMembers, call: CallFacts): void {
  other
    .number('frt', call.firstTokenMs === undefined ? -1000 : Math.round(call.firstTokenMs))
    .text('request_path', call.requestPath)
    .text('settle_reason', call.reason)
    .text('group', call.group)
    .flag('is_model_mapped', call.upstreamModel !== undefined)
    .text('upstream_model_name', call.upstreamModel)
    .text('requested_model_name', call.requestedModel === undefined ? undefined : storable(call.requestedModel))
    .text('reasoning_effort', call.reasoningEffort)
    .text('client_request_id', call.clientRequestId);
  if (call.conversion?.length) other.json('request_conversion', call.conversion);
  if (call.droppedFields?.length) other.json('dropped_fields', call.droppedFields);
  if (call.streamStatus) other.json('stream_status', call.streamStatus);
}

function addUsage(other: JsonMembers, answer: AnswerFacts): void {
  const { usage, charge, kind, image, audio, task } = answer;
  const { ratios } = charge;
  const exclusive = answer.promptColumn === 'exclusive';
  other.number('cache_tokens', usage.cached).flag('claude', exclusive);
  if (exclusive || usage.cacheCreation5m + usage.cacheCreation1h > 0) addCacheCreation(other, answer);
  other.flag('ws', kind === 'realtime').flag('audio', kind === 'audio');
  if (kind === 'audio' || kind === 'realtime' || usage.promptAudio + usage.completionAudio > 0) {
    addAudio(other, usage, ratios);
  }
  if (usage.promptImage + usage.completionImage > 0) addImageTokens(other, usage, ratios);
  other.flag('usage_estimated', usage.source !== 'upstream');
  if (charge.tools.length > 0) other.json('tool_surcharges', charge.tools);
  other.number('price_usd', charge.usd);
  // Without it, what a ranking cost could not be worked out again from its row.
  other.number('search_units', usage.units.searchUnits);
  if (image) other.number('images', image.count).text('size', image.size).text('quality', image.quality);
  if (audio) other.number('seconds', audio.seconds).flag('duration_estimated', audio.estimated);
  if (task) other.text('task_id', task.id);
}

function addCacheCreation(other: JsonMembers, { usage, charge: { ratios }, promptColumn }: AnswerFacts): void {
  const written = usage.cacheCreation5m + usage.cacheCreation1h;
  other.number('cache_creation_tokens', written).number('cache_creation_ratio', ratios?.cacheCreation ?? 0);
  // Anthropic says of every write how long it lives; of others only one that lives for an hour was told apart.
  const isSplit = usage.cacheCreation1h > 0 || (promptColumn === 'exclusive' && written > 0);
  if (!isSplit) return;
  other
    .number('cache_creation_tokens_5m', usage.cacheCreation5m)
    .number('cache_creation_ratio_5m', ratios?.cacheCreation ?? 0)
    .number('cache_creation_tokens_1h', usage.cacheCreation1h)
    .number('cache_creation_ratio_1h', ratios?.cacheCreation1h ?? 0);
}

function addAudio(other: JsonMembers, usage: Usage, ratios: TokenRatios | undefined): void {
  other
    .number('audio_input', usage.promptAudio)
    .number('audio_output', usage.completionAudio)
    .number('text_input', Math.max(0, usage.prompt - usage.promptAudio - usage.promptImage))
    .number('text_output', Math.max(0, usage.completion - usage.completionAudio - usage.completionImage))
    .number('audio_ratio', ratios?.audio ?? 0)
    .number('audio_completion_ratio', ratios?.audioCompletion ?? 0);
}

function addImageTokens(other: JsonMembers, usage: Usage, ratios: TokenRatios | undefined): void {
  other
    .number('image', usage.promptImage)
    .number('image_ratio', ratios?.image ?? 0)
    .number('image_output', usage.completionImage)
    .number('image_completion_ratio', ratios?.imageCompletion ?? 0);
}

function adminInfo({ admin }: CallFacts, answer: AnswerFacts | undefined): string {
  return new JsonMembers()
    .json('use_channel', admin.usedChannels.map(String))
    .flag('is_multi_key', admin.keyIndex !== undefined)
    .number('multi_key_index', admin.keyIndex)
    .flag('local_count_tokens', answer !== undefined && answer.usage.source !== 'upstream')
    .flag('quota_saturation', answer?.charge.saturated === true)
    .text('affinity_rule', admin.affinityRule)
    .json('attempts', admin.attempts)
    .toString();
}
