/** How a failed attempt counts against its channel (relay.md 12.8). The one place that reads an error's text. */
import { inStatusRanges, type OptionsView } from '../contract/options.ts';
import type { HealthSignal, UpstreamFailureFields } from '../errors.ts';

/** Statuses that say nothing about the channel, whatever their text. */
const neverCount = new Set([400, 413, 422, 429, 503, 529]);
/** Local failures that do count; every other local error has the signal `none` from where it was made. */
const hardLocalCodes = new Set(['channel:invalid_key', 'channel:no_available_key']);

/** The adapter's judgement, sharpened by the operator's status list and keywords. */
export function healthSignalOf(
  failure: Readonly<UpstreamFailureFields>,
  options: OptionsView,
): Exclude<HealthSignal, 'listed'> {
  if (hardLocalCodes.has(failure.code)) return 'hard';
  if (failure.health === 'none' || neverCount.has(failure.status)) return 'none';
  if (failure.health === 'hard') return 'hard';
  const isAnswer = failure.upstreamStatus !== undefined;
  if (isAnswer && inStatusRanges(options.get('AutomaticDisableStatusCodes'), failure.status)) return 'hard';
  const text = failure.operatorText.toLowerCase();
  if (options.get('AutomaticDisableKeywords').some((keyword) => text.includes(keyword.toLowerCase()))) return 'hard';
  return failure.health === 'listed' ? 'none' : 'soft';
}
