/** What the gateway tells about a request so that its log rows can be written. */
import type { Usage } from '../relay/canonical/usage.ts';
import type { GroupRatio, Price } from './price-book.ts';
import type { Charge } from './pricing.ts';
import type { SettleReason } from './settlement.ts';

/** Remarks that explain a charge. */
export type LogNote = 'no-usage' | 'empty-answer' | 'estimated' | 'client-gone';

/** One upstream try, as admins see it. `message` is masked by who judged the failure. */
export interface AttemptEntry {
  readonly channel: number;
  /** Row id of the channel key. */
  readonly key: number;
  readonly status: number;
  readonly code: string;
  readonly ms: number;
  readonly usage?: Usage;
  /** Images that were made before the attempt failed. */
  readonly image?: ImageSummary;
  /** Requests of a divided call that were answered before it failed. */
  readonly parts?: number;
  readonly message: string;
  /** What it costs the operator, in quota; known once the request is settled. */
  cost?: number;
}

/** How many images there are, and what they look like. */
export interface ImageSummary {
  readonly count: number;
  readonly size?: string | undefined;
  readonly quality?: string | undefined;
}

/** `other.admin_info`: never shown to users. */
export interface AdminFacts {
  /** Channels in the order tried, repeats kept. */
  readonly usedChannels: readonly number[];
  /** Set when the channel has several keys: which one answered. */
  readonly keyIndex?: number | undefined;
  readonly affinityRule?: string | undefined;
  readonly attempts: readonly AttemptEntry[];
}

/** What every row of one request says. */
export interface CallFacts {
  readonly requestId: string;
  readonly userId: number;
  readonly username: string;
  /** 0 for the playground. */
  readonly tokenId: number;
  readonly tokenName: string;
  /** As the client wrote it, or what its key takes that for. */
  readonly modelName: string;
  /** As the client wrote it, where its key takes that for `modelName`. */
  readonly requestedModel?: string | undefined;
  /** The group that served and is billed. */
  readonly group: string;
  /** The serving channel; 0 when none did. */
  readonly channelId: number;
  /** Null unless the site records addresses. */
  readonly ip: string | null;
  readonly isStream: boolean;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Milliseconds to the first token; undefined when none came. */
  readonly firstTokenMs?: number | undefined;
  readonly requestPath: string;
  /** The client's own name for its request. */
  readonly clientRequestId?: string | undefined;
  /** Formats between client and upstream, when they differ. */
  readonly conversion?: readonly string[] | undefined;
  /** Fields of the request that the upstream's format cannot say. */
  readonly droppedFields?: readonly string[] | undefined;
  /** Name sent upstream, when mapping changed it. */
  readonly upstreamModel?: string | undefined;
  readonly reasoningEffort?: string | undefined;
  readonly reason: SettleReason;
  /** When the stream did not end normally. */
  readonly streamStatus?:
    | { readonly status: string; readonly end_reason: string; readonly end_error?: string }
    | undefined;
  readonly admin: AdminFacts;
}

/** What an answered request used and costs. */
export interface AnswerFacts {
  readonly price: Price;
  readonly groupRatio: GroupRatio;
  readonly usage: Usage;
  readonly charge: Charge;
  /** What the attempt that answered costs the operator, in quota. */
  readonly cost: number;
  /** Decides the extra members of `other`. */
  readonly kind: 'text' | 'audio' | 'realtime' | 'image' | 'task';
  /** `exclusive`: the prompt column leaves cache reads and writes out, as Anthropic counts (relay.md 14.2). */
  readonly promptColumn: 'inclusive' | 'exclusive';
  readonly image?: ImageSummary;
  readonly audio?: { readonly seconds: number; readonly estimated: boolean };
  readonly task?: { readonly id: string; readonly action: string };
  readonly notes?: readonly LogNote[];
}

/** Why a request failed as a whole for an upstream reason. */
export interface FailureFacts {
  readonly type: string;
  readonly code: string;
  /** Status the client got. */
  readonly status: number;
  /** Status before the channel's status mapping. */
  readonly originalStatus?: number | undefined;
  /** Masked: shown to the user. */
  readonly message: string;
}
