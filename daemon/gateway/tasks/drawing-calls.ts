/** The calls of the drawing proxy (relay.md 2.4, 8): orders, what their owners ask about them, and what upstreams tell. */
import type { OptionsView } from '../../contract/options.ts';
import type { Drawings, MidjourneyRecord } from '../../domain/drawings.ts';
import { asList, asText } from '../../relay/formats/fields.ts';
import type { Json } from '../../relay/json.ts';
import { readTask } from '../../relay/tasks/midjourney/news.ts';
import {
  type DrawingKind,
  drawingBody,
  drawingKinds,
  modeOf,
  readDrawing,
} from '../../relay/tasks/midjourney/order.ts';
import { taskView } from '../../relay/tasks/midjourney/task-view.ts';
import { refuseBrowserExtensions } from '../admit.ts';
import type { Caller } from '../authenticate.ts';
import { readBody } from '../body.ts';
import type { Exchange } from '../exchange.ts';
import { DrawingOrder } from './drawing-order.ts';
import { followDrawing } from './drawing-poll.ts';
import { askSeed } from './drawing-seed.ts';
import { originOf } from './task-origin.ts';
import { answered, askedByKey } from './task-question.ts';
import { TaskRefused } from './task-refused.ts';
import { type ReadOrder, runTask, type TaskRunDeps } from './task-run.ts';
import { taskWords } from './task-words.ts';

/** What a path of the drawing proxy asks for. */
export type DrawingCall =
  /** `prefix`: the segment before `/mj`, which may name a speed. */
  | { readonly does: 'submit'; readonly kind: DrawingKind; readonly prefix: string | undefined }
  | { readonly does: 'fetch' | 'seed'; readonly id: string }
  | { readonly does: 'list' }
  | { readonly does: 'notify'; readonly channel: string; readonly secret: string };

/** The order that a path below `/mj` takes; undefined for all other paths. */
export function orderedBy(path: string): DrawingKind | undefined {
  if (path === 'insight-face/swap') return 'swap';
  const name = path.startsWith('submit/') ? path.slice('submit/'.length) : '';
  return name === 'swap' ? undefined : drawingKinds.find((kind) => kind === name);
}

/** Names a channel's callbacks, so that nobody else can make one. */
export interface DrawingHooks {
  secretOf(channelId: number): string;
  /** Compares in constant time. */
  isSecretOf(channelId: number, secret: string): boolean;
}

export interface DrawingCallsDeps extends TaskRunDeps {
  readonly drawings: Drawings;
  readonly hooks: DrawingHooks;
  /** Unix milliseconds. */
  readonly now: () => number;
}

const MAX_IDS = 100;
const MAX_NEWS_BYTES = 512 * 1024;
const WORDS = { gone: 'get_channel_info_failed', disabled: 'task_channel_disabled' } as const;

export class DrawingCalls {
  readonly #deps: DrawingCallsDeps;

  constructor(deps: DrawingCallsDeps) {
    this.#deps = deps;
  }

  /** Never throws: every failure has been answered when it resolves. */
  run(exchange: Exchange, call: DrawingCall): Promise<void> {
    switch (call.does) {
      case 'submit':
        return runTask(this.#deps, exchange, this.#orders(call));
      case 'fetch':
        return askedByKey(this.#deps.pipeline, exchange, (caller) => this.#fetch(exchange, caller, call.id));
      case 'seed':
        return askedByKey(this.#deps.pipeline, exchange, (caller) => this.#seed(exchange, caller, call.id));
      case 'list':
        return askedByKey(this.#deps.pipeline, exchange, (caller) => this.#list(exchange, caller));
      case 'notify':
        return answered(this.#deps.pipeline, exchange, () => this.#notify(exchange, call));
    }
  }

  #orders({ kind, prefix }: Extract<DrawingCall, { does: 'submit' }>): ReadOrder {
    return async ({ exchange, caller, said }) => {
      const body = drawingBody(said.json);
      const wish = readDrawing(kind, body);
      if ('refusal' in wish) throw new TaskRefused(400, wish.refusal, wish.details);
      const drawing =
        wish.parentId === undefined
          ? undefined
          : await this.#owned(exchange, caller, {
              id: wish.parentId,
              word: 'task_not_found',
              mayWait: kind === 'modal',
            });
      const { options } = exchange.view;
      const { drawings, now } = this.#deps;
      return new DrawingOrder(
        { drawings, now, hookOf: (channelId) => this.#hookOf(channelId, options) },
        {
          wish,
          body,
          caller,
          options,
          requestId: exchange.id,
          mode: modeOf(prefix),
          parent: drawing && { drawing, place: originOf(exchange.view, placeOf(drawing), WORDS) },
        },
      );
    };
  }

  #hookOf(channelId: number, options: OptionsView): string | undefined {
    const address = options.get('ServerAddress');
    if (address === '') return undefined;
    return `${address}/mj/notify?c=${channelId}&s=${this.#deps.hooks.secretOf(channelId)}`;
  }

  /** The caller's own task. Throws `TaskRefused` where there is none, or it has to be finished first. */
  async #owned(
    { view }: Exchange,
    caller: Caller,
    wanted: { readonly id: string; readonly word: string; readonly mayWait: boolean },
  ): Promise<MidjourneyRecord> {
    const drawing = await this.#deps.drawings.findOwned(wanted.id, caller.user.id);
    if (drawing === undefined) throw new TaskRefused(404, wanted.word);
    const mustBeDone = !wanted.mayWait && view.options.get('MjActionCheckSuccessEnabled');
    if (mustBeDone && drawing.status !== 'SUCCESS') throw new TaskRefused(400, 'task_status_not_success');
    return drawing;
  }

  async #fetch(exchange: Exchange, caller: Caller, id: string): Promise<void> {
    const drawing = await this.#deps.drawings.findOwned(id, caller.user.id);
    if (drawing === undefined) throw new TaskRefused(404, 'task_no_found');
    answer(exchange, 200, shown(drawing, exchange.view.options));
  }

  async #list(exchange: Exchange, caller: Caller): Promise<void> {
    const { bodies, body } = this.#deps.pipeline;
    const { json } = await bodies.parse(await readBody(exchange, body));
    const ids = asList(json.ids).flatMap((id) => asText(id) ?? []);
    if (ids.length > MAX_IDS) {
      throw new TaskRefused(400, 'bind_request_body_failed', `ids must not be more than ${MAX_IDS}`);
    }
    const drawings = await this.#deps.drawings.findManyOwned(ids, caller.user.id);
    const found = ids.flatMap((id) => drawings.get(id) ?? []);
    const list = found.map((drawing) => shown(drawing, exchange.view.options));
    answer(exchange, 200, list);
  }

  /** Limited by a rule of its own, for nobody pays for it. */
  async #seed(exchange: Exchange, caller: Caller, id: string): Promise<void> {
    const drawing = await this.#owned(exchange, caller, { id, word: 'task_no_found', mayWait: false });
    const origin = originOf(exchange.view, placeOf(drawing), WORDS);
    const ticket = await this.#deps.pipeline.limits.takeQuestion(exchange, caller);
    for (const [name, value] of ticket?.headers ?? []) exchange.sink.setHeader(name, value);
    await askSeed(this.#deps, exchange, { caller, taskId: id, origin });
  }

  /** A callback is no order of anybody's: it may only say of a channel's own tasks what a poll would. */
  async #notify(exchange: Exchange, { channel, secret }: Extract<DrawingCall, { does: 'notify' }>): Promise<void> {
    const channelId = /^\d{1,9}$/.test(channel) ? Number(channel) : 0;
    if (!this.#deps.hooks.isSecretOf(channelId, secret)) throw new TaskRefused(403, 'access_denied');
    refuseBrowserExtensions(exchange);
    const { pipeline } = this.#deps;
    const limits = { ...pipeline.body.limits, maxBytes: MAX_NEWS_BYTES };
    const { json } = await pipeline.bodies.parse(await readBody(exchange, { ...pipeline.body, limits }));
    const told = readTask(json);
    const drawings = told === undefined ? [] : await this.#deps.drawings.findOfChannel(told.id, channelId);
    if (told === undefined || drawings.length === 0) throw new TaskRefused(404, 'midjourney_task_not_found');
    const teller = exchange.view.channels.get(channelId);
    for (const drawing of drawings) {
      const key = teller?.keys.find(({ hash }) => hash === drawing.channelKeyHash);
      const words = taskWords(teller, key, exchange.view.options);
      await followDrawing(this.#deps.drawings, drawing, { heard: { news: told.news, words }, nowMs: this.#deps.now() });
    }
    answer(exchange, 200, { code: 1, description: 'success', properties: {}, result: '' });
  }
}

function placeOf({ channelId, channelKeyHash }: MidjourneyRecord) {
  return { channelId, keyHash: channelKeyHash };
}

function shown(drawing: MidjourneyRecord, options: OptionsView) {
  return taskView(drawing, imageAddress(drawing, options));
}

/** Previews change: browsers are to fetch them anew. */
function imageAddress({ imageUrl, mjId, status }: MidjourneyRecord, options: OptionsView): string {
  if (imageUrl === '' || !options.get('MjForwardUrlEnabled')) return imageUrl;
  const address = `${options.get('ServerAddress')}/mj/image/${encodeURIComponent(mjId)}`;
  return status === 'SUCCESS' ? address : `${address}?rand=${process.hrtime.bigint()}`;
}

function answer(exchange: Exchange, status: number, body: Json): void {
  exchange.sink.answer(status, 'application/json', JSON.stringify(body));
}
