/** Orders of music tasks: what goes to the upstream, what its answer means, and what is remembered (relay.md 9). */
import type { ChannelPick } from '../../domain/channel-selection.ts';
import { type Songs, songModel } from '../../domain/songs.ts';
import type { JsonObject } from '../../relay/json.ts';
import { isSuccess, madeTaskId, parseEnvelope, success } from '../../relay/tasks/suno/envelope.ts';
import { type SongWish, wordsOf } from '../../relay/tasks/suno/order.ts';
import type { RoutedPick } from '../route.ts';
import type { AcceptedTask, TaskOrder, TaskVerdict } from './task-order.ts';
import { spokenFailure, strangeReply } from './task-reply.ts';
import type { TaskReply, TaskRequest } from './task-request.ts';

export interface SongOrderDeps {
  readonly songs: Songs;
  /** Unix milliseconds. */
  readonly now: () => number;
}

const SUBMIT_MS = 60_000;

export class SongOrder implements TaskOrder {
  readonly model: string;
  readonly action: string;
  readonly json: JsonObject;
  readonly origin: ChannelPick | undefined;
  readonly isFree = false;
  readonly retries = 'harmless';
  readonly #deps: SongOrderDeps;
  readonly #wish: SongWish;

  /** @param origin where the task is known that it goes on with */
  constructor(deps: SongOrderDeps, wish: SongWish, origin: ChannelPick | undefined) {
    this.#deps = deps;
    this.#wish = wish;
    this.model = songModel(wish.action);
    this.action = wish.action;
    this.json = wish.body;
    this.origin = origin;
  }

  request(): TaskRequest {
    const { action, body } = this.#wish;
    return { method: 'POST', operation: `submit/${action}`, body, timeoutMs: SUBMIT_MS };
  }

  /** What an upstream refuses is told in its words, but for those that speak of the channel's account. */
  judge(reply: TaskReply, pick: RoutedPick): TaskVerdict {
    const said = parseEnvelope(reply.body.toString('utf8'));
    const isDone = reply.status >= 200 && reply.status <= 299;
    const taskId = isDone && said !== undefined && isSuccess(said) ? madeTaskId(said) : undefined;
    if (taskId !== undefined) {
      return { outcome: 'accepted', taskId, isCharged: true, answer: { status: 200, body: success(taskId) } };
    }
    const call = { format: 'suno', model: this.model, nowMs: this.#deps.now() } as const;
    const isRefusal = said !== undefined && !isSuccess(said);
    return { outcome: 'failed', failure: (isRefusal ? spokenFailure : strangeReply)(reply, pick, call) };
  }

  keep({ caller, requestId, pick, submittedAtMs, taskId, quota, tokenQuota }: AcceptedTask): Promise<void> {
    return this.#deps.songs.insert({
      taskId,
      userId: caller.user.id,
      channelId: pick.channel.record.id,
      tokenId: caller.token?.id ?? 0,
      channelKeyHash: pick.key.hash,
      requestId,
      quota,
      tokenQuota,
      action: this.action,
      status: 'SUBMITTED',
      failReason: '',
      submitTime: Math.floor(submittedAtMs / 1000),
      startTime: 0,
      finishTime: 0,
      progress: '0%',
      properties: JSON.stringify({ input: wordsOf(this.#wish) }),
      data: '',
    });
  }
}
