/**
 * What the gateway asks of a platform whose work goes on after its answer: drawings, songs. A platform reads orders and
 * says what an upstream made of them; keys, prices, holds, routing and books are the same for all.
 */
import type { ChannelPick } from '../../domain/channel-selection.ts';
import type { UpstreamFailure } from '../../errors.ts';
import type { Json, JsonObject } from '../../relay/json.ts';
import type { Caller } from '../authenticate.ts';
import type { RoutedPick } from '../route.ts';
import type { TaskReply, TaskRequest } from './task-request.ts';

/** An answer in the platform's own words. */
export interface TaskAnswer {
  readonly status: number;
  readonly body: Json;
}

/** A request to begin, or to go on with, a task. */
export interface TaskOrder {
  /** Routed and priced by. */
  readonly model: string;
  /** In the platform's words, such as IMAGINE. */
  readonly action: string;
  /** What was asked: its texts are checked like any prompt. */
  readonly json: JsonObject;
  /** Where the task that it goes on with is known: it is sent there, whatever routing says, and nowhere else. */
  readonly origin: ChannelPick | undefined;
  /** Costs nothing, whatever its price. */
  readonly isFree: boolean;
  /** Whether a refusal that certainly did no work may be followed by another try elsewhere (relay.md 11.5 C). */
  readonly retries: 'never' | 'harmless';
  /** The upstream request, without its credentials. */
  request(pick: RoutedPick): TaskRequest;
  /** What the upstream's answer means. */
  judge(reply: TaskReply, pick: RoutedPick): TaskVerdict | Promise<TaskVerdict>;
  /** Remembers the accepted task, so that it is followed up. */
  keep(task: AcceptedTask): Promise<void>;
  /** Remembers what the upstream refused; absent where nothing is. */
  keepRefused?(refused: TaskPlace & { readonly reason: string }): Promise<void>;
}

export type TaskVerdict =
  /** The upstream works on it. `isCharged`: false for what was paid before. */
  | {
      readonly outcome: 'accepted';
      readonly taskId: string;
      readonly isCharged: boolean;
      readonly answer: TaskAnswer;
    }
  /** Refused in the platform's own words, which the client is told. `failure` counts against the channel. */
  | {
      readonly outcome: 'refused';
      readonly code: string;
      readonly reason: string;
      /** All of what was said. */
      readonly operatorReason: string;
      readonly answer: TaskAnswer;
      readonly failure?: UpstreamFailure | undefined;
    }
  /** No word of the platform's. */
  | { readonly outcome: 'failed'; readonly failure: UpstreamFailure };

/** Whose order went where. */
export interface TaskPlace {
  readonly caller: Caller;
  readonly requestId: string;
  readonly pick: RoutedPick;
  /** Unix milliseconds of the order. */
  readonly submittedAtMs: number;
}

export interface AcceptedTask extends TaskPlace {
  readonly taskId: string;
  /** What it is charged. */
  readonly quota: number;
  /** The part of it that the token's own quota pays. */
  readonly tokenQuota: number;
}
