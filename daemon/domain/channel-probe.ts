/** What the domain asks of the gateway about one upstream: a test, its models, its balance. `gateway/probe.ts` answers. */
import type { testEndpoints } from '../contract/channel-checks.ts';
import type { UpstreamFailure } from '../errors.ts';
import type { ChannelView } from '../snapshots/channel-view.ts';
import type { ChannelPick } from './channel-selection.ts';

/** How a test asks. */
export interface ProbeWish {
  /** Client-visible or bare name; undefined takes the channel's test model, else the first that can be tested. */
  readonly model: string | undefined;
  readonly stream: 'on' | 'off' | 'auto';
  /** The wire format to ask in; `auto` takes the one that suits the model. */
  readonly endpoint: (typeof testEndpoints)[number];
  /** Asks for a tool call whose arguments are known, and fails where it comes back changed. */
  readonly canary: boolean;
}

export interface ProbeCall extends ProbeWish {
  /** The key to test; undefined takes the first enabled one, else the first that was disabled automatically. */
  readonly keyId?: number | undefined;
  /** Who the log row of the test belongs to; it is charged to nobody. */
  readonly owner: { readonly userId: number; readonly username: string };
  readonly requestId: string;
}

/** What a test found. */
export interface ProbeResult {
  readonly ok: boolean;
  /** The model that was asked for, as clients name it. */
  readonly model: string;
  readonly timeMs: number;
  /** Of prompt and answer; 0 after a failure. */
  readonly tokens: number;
  /** Status of the upstream; 0 when none came. */
  readonly status: number;
  /** Masked; "" after a success. */
  readonly message: string;
  /** What was tested. */
  readonly pick: ChannelPick;
  /** Why it failed, as a live request would judge it. */
  readonly failure?: UpstreamFailure | undefined;
}

/** An upstream that no channel row describes yet. */
export interface DraftUpstream {
  readonly type: number;
  /** "" = the default of the type. */
  readonly baseUrl: string;
  readonly key: string;
}

/** What one key may still spend. */
export interface KeyBalance {
  readonly keyId: number;
  readonly usd: number;
}

export interface ChannelProbe {
  /**
   * Calls the upstream of a saved channel, or of one that exists only as a draft, on the way that live requests take; a
   * refusal by the upstream is a result, not an error. Throws `channel_test_unsupported`.
   */
  test(channel: number | ChannelView, call: ProbeCall): Promise<ProbeResult>;
  /** Model ids that the upstream offers. Throws `channel_fetch_failed`. */
  listModels(upstream: number | DraftUpstream): Promise<readonly string[]>;
  /** What the first usable key may still spend. Throws `channel_balance_unsupported`, `channel_balance_failed`. */
  balance(channelId: number): Promise<KeyBalance>;
}
