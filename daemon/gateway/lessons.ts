/**
 * What refusals teach about asking a channel: a field it does not know, a word of its adapter's own for a model, members
 * of one request that the vendor knows no longer. Kept beside the channel's view: an edit makes a new one and so forgets.
 */
import type { ProviderAdapter, UpstreamCall } from '../relay/provider.ts';
import type { ChannelView } from '../snapshots/channel-view.ts';
import type { FailedAttempt } from './attempt-failure.ts';
import type { Inspection } from './inspect.ts';

/** An attempt that was refused, and of which request on which channel. */
export interface Refused {
  readonly inspection: Inspection;
  readonly channel: ChannelView;
  readonly plan: {
    readonly adapter: ProviderAdapter;
    readonly call: UpstreamCall;
    /** The body may have `stream_options`. */
    readonly hasStreamOptions: boolean;
  };
  readonly failed: FailedAttempt;
}

/** Names come from clients; a wildcard mapping makes them many. */
const MAX_MODELS = 1000;
const NONE: readonly string[] = [];

export class Lessons {
  readonly #refusesStreamOptions = new WeakSet<ChannelView>();
  /** By the model's name as sent upstream. */
  readonly #words = new WeakMap<ChannelView, Map<string, string>>();
  readonly #unknown = new WeakMap<Inspection, readonly string[]>();

  /** Notes what a refusal says. True to ask the channel again, now that it is known. */
  take(refused: Refused): boolean {
    if (refused.failed.nature !== 'status') return false;
    return this.#takeStreamOptions(refused) || this.#takeOwn(refused);
  }

  /** `stream_options` may be sent to the channel. */
  knowsStreamOptions(adapter: ProviderAdapter, channel: ChannelView): boolean {
    if (this.#refusesStreamOptions.has(channel)) return false;
    const wished = channel.setting.stream_options;
    return typeof wished === 'boolean' ? wished : adapter.streamUsage;
  }

  /** The adapter's word for a model; undefined while it was taught none. */
  wordFor(channel: ChannelView, model: string): string | undefined {
    return this.#words.get(channel)?.get(model);
  }

  /** Members that this request goes without from now on. */
  unknownOf(inspection: Inspection): readonly string[] {
    return this.#unknown.get(inspection) ?? NONE;
  }

  #takeStreamOptions({ plan, failed, channel }: Refused): boolean {
    const { fields } = failed.failure;
    if (!plan.hasStreamOptions || fields.upstreamStatus !== 400) return false;
    const names = fields.param?.startsWith('stream_options') === true || fields.operatorText.includes('stream_options');
    if (names) this.#refusesStreamOptions.add(channel);
    return names;
  }

  /** Adapters teach a model no word twice, and a request is asked without members once: neither goes on for ever. */
  #takeOwn({ inspection, plan, failed, channel }: Refused): boolean {
    const lesson = plan.adapter.learnsFrom?.(failed.failure, plan.call);
    if (lesson === undefined) return false;
    if ('without' in lesson) {
      if (this.#unknown.has(inspection)) return false;
      this.#unknown.set(inspection, lesson.without);
      return true;
    }
    const { model, learnt } = plan.call;
    const words = this.#words.get(channel) ?? new Map<string, string>();
    this.#words.set(channel, words);
    // Another request may have gone further meanwhile.
    if (words.get(model) !== learnt) return true;
    if (words.size >= MAX_MODELS) words.clear();
    words.set(model, lesson.learnt);
    return true;
  }
}
