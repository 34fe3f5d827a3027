/**
 * The seed of a drawing, asked of the upstream that made it, with its key (relay.md 8.4). Nobody pays for it, so the model
 * needs no price and no channel that still offers it; tried, masked and logged it is like every order (REQ-25).
 */
import type { OptionsView } from '../../contract/options.ts';
import type { ChannelPick } from '../../domain/channel-selection.ts';
import { priceBookOf } from '../../domain/pricing.ts';
import type { JsonObject } from '../../relay/json.ts';
import { meaningOf, readSubmitAnswer, refusalRetold, retold } from '../../relay/tasks/midjourney/submit-answer.ts';
import type { Caller } from '../authenticate.ts';
import type { Exchange } from '../exchange.ts';
import { HeldCall } from '../held-call.ts';
import type { RoutedPick } from '../route.ts';
import { settle } from '../settle.ts';
import { TaskAttempts } from './task-attempts.ts';
import type { TaskOrder, TaskVerdict } from './task-order.ts';
import { strangeReply } from './task-reply.ts';
import type { TaskReply, TaskRequest } from './task-request.ts';
import { inspectionOf, type TaskRunDeps } from './task-run.ts';
import { taskWords } from './task-words.ts';

export interface SeedDeps extends TaskRunDeps {
  /** Unix milliseconds. */
  readonly now: () => number;
}

const SEED_MS = 30_000;
const NO_BODY = Buffer.alloc(0);

/** Asks and answers; upstream failures are answered, too. */
export async function askSeed(
  deps: SeedDeps,
  exchange: Exchange,
  asked: { readonly caller: Caller; readonly taskId: string; readonly origin: ChannelPick },
): Promise<void> {
  const { caller, taskId, origin } = asked;
  const { admit, settle: settling, recorder } = deps.pipeline;
  const { options } = exchange.view;
  const order = new SeedOrder({ taskId, origin, options, now: deps.now });
  const { model } = order;
  const inspection = inspectionOf(order, NO_BODY);
  const route = await admit.router.open({ exchange, caller, inspection, model, origin });
  const book = priceBookOf(options);
  const group = book.groupRatio(caller.user.group, route.firstGroup);
  const admission = { route, model, book, price: book.free(model), group, rate: undefined, promptTokens: 0, held: 0 };
  const call = new HeldCall({ exchange, caller, inspection, admission });
  const outcome = await new TaskAttempts(deps, call, { order }).run();
  const bill = await settle(settling, call, outcome);
  recorder.record(call, { outcome, bill });
}

class SeedOrder implements TaskOrder {
  readonly model = 'mj_image_seed';
  readonly action = 'IMAGE_SEED';
  readonly json: JsonObject = {};
  readonly isFree = true;
  readonly retries = 'never';
  readonly origin: ChannelPick;
  readonly #taskId: string;
  readonly #options: OptionsView;
  readonly #now: () => number;

  constructor(asked: { taskId: string; origin: ChannelPick; options: OptionsView; now: () => number }) {
    this.origin = asked.origin;
    this.#taskId = asked.taskId;
    this.#options = asked.options;
    this.#now = asked.now;
  }

  request(): TaskRequest {
    const operation = `task/${encodeURIComponent(this.#taskId)}/image-seed`;
    return { method: 'GET', operation, body: undefined, timeoutMs: SEED_MS };
  }

  judge(reply: TaskReply, pick: RoutedPick): TaskVerdict {
    const { status } = reply;
    const said = readSubmitAnswer(reply.body.toString('utf8'));
    if (said === undefined || status === 401 || status === 403) {
      const call = { format: 'midjourney', model: this.model, nowMs: this.#now() } as const;
      return { outcome: 'failed', failure: strangeReply(reply, pick, call) };
    }
    const words = taskWords(pick.channel, pick.key, this.#options);
    if (meaningOf(said, status) === 'accepted') {
      const answer = { status, body: retold(said, words.forOwner).body };
      return { outcome: 'accepted', taskId: this.#taskId, isCharged: false, answer };
    }
    const shown = refusalRetold(said, (text) => words.failureForOwner(text, status));
    const { code, description: reason, body } = shown;
    const operatorReason = words.forOperator(said.description);
    return { outcome: 'refused', code: String(code), reason, operatorReason, answer: { status, body } };
  }

  /** The drawing is known already. */
  keep(): Promise<void> {
    return Promise.resolve();
  }
}
