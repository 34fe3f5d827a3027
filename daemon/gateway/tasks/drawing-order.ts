/** Orders of the drawing proxy: what goes to the upstream, what its answer means, and what is remembered (relay.md 8). */
import type { OptionsView } from '../../contract/options.ts';
import type { ChannelPick } from '../../domain/channel-selection.ts';
import { type Drawings, drawingModel, type MidjourneyRecord, type NewMidjourney } from '../../domain/drawings.ts';
import { UpstreamFailure } from '../../errors.ts';
import { asText } from '../../relay/formats/fields.ts';
import type { JsonObject } from '../../relay/json.ts';
import { providerOf } from '../../relay/providers/index.ts';
import { changesOf, DONE, isFinal, readTask } from '../../relay/tasks/midjourney/news.ts';
import { type DrawingWish, forwarded, operationOf } from '../../relay/tasks/midjourney/order.ts';
import { publicProperties } from '../../relay/tasks/midjourney/properties.ts';
import {
  clientAnswer,
  isDialog,
  meaningOf,
  opensDialog,
  readSubmitAnswer,
  refusalRetold,
  retold,
  type SubmitAnswer,
  taskIdOf,
} from '../../relay/tasks/midjourney/submit-answer.ts';
import type { Caller } from '../authenticate.ts';
import type { RoutedPick } from '../route.ts';
import type { AcceptedTask, TaskOrder, TaskPlace, TaskVerdict } from './task-order.ts';
import { strangeReply } from './task-reply.ts';
import type { TaskReply, TaskRequest } from './task-request.ts';
import { taskWords } from './task-words.ts';

export interface DrawingOrderDeps {
  readonly drawings: Drawings;
  /** Where this site hears of a channel's drawings; undefined where it has no address of its own. */
  readonly hookOf: (channelId: number, options: OptionsView) => string | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
}

interface DrawingFacts {
  readonly wish: DrawingWish;
  readonly body: JsonObject;
  readonly caller: Caller;
  readonly options: OptionsView;
  readonly requestId: string;
  /** Speed that the path's prefix names. */
  readonly mode: string | undefined;
  /** The task that it goes on with, and where that is known. */
  readonly parent: { readonly drawing: MidjourneyRecord; readonly place: ChannelPick } | undefined;
}

const SUBMIT_MS = 60_000;

export class DrawingOrder implements TaskOrder {
  readonly model: string;
  readonly action: string;
  readonly json: JsonObject;
  readonly origin: ChannelPick | undefined;
  readonly isFree: boolean;
  readonly retries = 'never';
  readonly #deps: DrawingOrderDeps;
  readonly #facts: DrawingFacts;
  #answer: SubmitAnswer | undefined;
  /** The caller's own row of the task, where the upstream says that it was there before. */
  #known: MidjourneyRecord | undefined;

  constructor(deps: DrawingOrderDeps, facts: DrawingFacts) {
    const { wish, body, parent } = facts;
    this.#deps = deps;
    this.#facts = facts;
    this.model = drawingModel(wish.action);
    this.action = wish.action;
    this.json = body;
    this.origin = parent?.place;
    this.isFree = isDialog(wish.action);
  }

  request({ channel }: RoutedPick): TaskRequest {
    const { wish, body, mode, options } = this.#facts;
    const rules = {
      accountFilter: options.get('MjAccountFilterEnabled') ? 'kept' : 'removed',
      mode,
      notifyHook: options.get('MjNotifyEnabled') ? this.#deps.hookOf(channel.record.id, options) : undefined,
      modeFlags: options.get('MjModeClearEnabled') ? 'cut' : 'kept',
    } as const;
    return {
      method: 'POST',
      operation: operationOf(wish.kind),
      body: forwarded(body, wish, rules),
      timeoutMs: SUBMIT_MS,
    };
  }

  async judge(reply: TaskReply, pick: RoutedPick): Promise<TaskVerdict> {
    const { status } = reply;
    const said = readSubmitAnswer(reply.body.toString('utf8'));
    if (said === undefined || status === 401 || status === 403) {
      return { outcome: 'failed', failure: strangeReply(reply, pick, this.#call()) };
    }
    const words = taskWords(pick.channel, pick.key, this.#facts.options);
    const meaning = meaningOf(said, status);
    const isTaken = meaning === 'accepted' || meaning === 'exists';
    const answer = isTaken
      ? retold(said, words.forOwner)
      : refusalRetold(said, (text) => words.failureForOwner(text, status));
    this.#answer = answer;
    if (isTaken) {
      const taskId = taskIdOf(answer) ?? this.#facts.requestId;
      this.#known = meaning === 'exists' ? await this.#find(taskId, pick) : undefined;
      const hasFailed = toldBy(answer, taskId).status === 'FAILURE';
      const isCharged = this.#known === undefined && !hasFailed;
      return { outcome: 'accepted', taskId, isCharged, answer: { status, body: clientAnswer(answer, this.action) } };
    }
    return {
      outcome: 'refused',
      code: String(answer.code),
      reason: answer.description,
      operatorReason: words.forOperator(said.description),
      answer: { status, body: answer.body },
      failure: this.#failureOf(said, reply, pick),
    };
  }

  async keep(task: AcceptedTask): Promise<void> {
    const answer = this.#answer;
    if (answer === undefined) return;
    const known = this.#known;
    if (known === undefined) {
      await this.#deps.drawings.insert(this.#rowOf(task, answer));
      return;
    }
    const changes = changesOf(known, toldBy(answer, task.taskId), this.#deps.now());
    if (changes !== undefined) await this.#deps.drawings.advance(known.id, changes);
  }

  async keepRefused(place: TaskPlace & { readonly reason: string }): Promise<void> {
    const answer = this.#answer;
    if (answer === undefined) return;
    const row = this.#rowOf({ ...place, taskId: '', quota: 0, tokenQuota: 0 }, answer);
    const finishTime = this.#deps.now();
    const end = { status: 'FAILURE', progress: DONE, failReason: place.reason, finishTime };
    await this.#deps.drawings.insert({ ...row, ...end });
  }

  /** A task of the caller's at this upstream that has not failed: it was paid for then, where this one has a price. */
  async #find(taskId: string, pick: RoutedPick): Promise<MidjourneyRecord | undefined> {
    const known = await this.#deps.drawings.findOwned(taskId, this.#facts.caller.user.id);
    if (known?.channelId !== pick.channel.record.id || known.status === 'FAILURE') return undefined;
    return isDialog(known.action) && !this.isFree ? undefined : known;
  }

  #rowOf(task: AcceptedTask, answer: SubmitAnswer): NewMidjourney {
    const { wish, body, caller, parent } = this.#facts;
    const { pick, taskId, submittedAtMs } = task;
    const state = {
      promptEn: asText(answer.properties.promptEn) ?? '',
      description: answer.description,
      state: asText(body.state) ?? '',
      submitTime: submittedAtMs,
      startTime: 0,
      finishTime: 0,
      imageUrl: '',
      videoUrl: '',
      videoUrls: '',
      status: opensDialog(answer, wish.action) ? 'MODAL' : 'SUBMITTED',
      progress: '0%',
      failReason: '',
      buttons: '',
      properties: JSON.stringify(publicProperties(answer.properties)),
    };
    const told = wish.action === 'UPLOAD' ? { status: 'SUCCESS' } : toldBy(answer, taskId);
    return {
      ...state,
      ...changesOf(state, told, this.#deps.now()),
      createdAt: Math.floor(submittedAtMs / 1000),
      code: answer.code,
      userId: caller.user.id,
      tokenId: caller.token?.id ?? 0,
      channelKeyHash: pick.key.hash,
      requestId: task.requestId,
      action: wish.action,
      mjId: taskId,
      prompt: promptOf(body) ?? parent?.drawing.prompt ?? '',
      channelId: pick.channel.record.id,
      quota: task.quota,
      tokenQuota: task.tokenQuota,
      botType: asText(body.botType) ?? parent?.drawing.botType ?? '',
      customId: asText(body.customId) ?? '',
    };
  }

  #call() {
    return { format: 'midjourney', model: this.model, nowMs: this.#deps.now() } as const;
  }

  /** What speaks against the channel: an upstream without an account, one that is busy or in trouble. */
  #failureOf(answer: SubmitAnswer, reply: TaskReply, pick: RoutedPick): UpstreamFailure | undefined {
    const meaning = meaningOf(answer, reply.status);
    // A task that goes on may be gone without anything being wrong with the channel.
    const isGone = meaning === 'no-account' && this.origin !== undefined;
    if (reply.status >= 429) return strangeReply(reply, pick, this.#call());
    if (isGone || (meaning !== 'no-account' && meaning !== 'queue-full')) return undefined;
    const text = `${answer.code} ${answer.description}`;
    return new UpstreamFailure({
      provider: providerOf(pick.channel.record.type)?.id ?? '',
      upstreamStatus: reply.status,
      // An error inside a 200: overload would say nothing of the channel.
      status: 502,
      type: 'upstream_error',
      code: String(answer.code),
      clientText: answer.description,
      operatorText: text,
      retry: 'never',
      health: meaning === 'no-account' ? 'soft' : 'none',
    });
  }
}

/** What an answer to a submission tells of a task that was there before. */
function toldBy({ code, properties }: SubmitAnswer, taskId: string): ReturnType<typeof readTaskNews> {
  if (code !== 21) return {};
  const { status = '', imageUrl = '', progress = '' } = properties;
  return readTaskNews({ id: taskId, status, imageUrl, progress });
}

function readTaskNews(task: JsonObject) {
  const news = readTask(task)?.news ?? {};
  if (news.progress === '') delete news.progress;
  return isFinal(news.status ?? '') || news.imageUrl !== undefined ? news : {};
}

/** Follow-ups without words of their own inherit those of the task before. */
function promptOf({ prompt }: JsonObject): string | undefined {
  const text = asText(prompt);
  return text === undefined || text.trim() === '' ? undefined : text;
}
