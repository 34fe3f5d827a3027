/** A conversation that runs: its turns for those who draw them, its calls, and what they bring. */
import { noteRefusal, ownHeaders } from '../../api/client.ts';
import { randomId } from '../../components/random-id.ts';
import { Store } from '../../session/store.ts';
import { readAnswer } from './answer-stream.ts';
import { costOf } from './call-cost.ts';
import type { CallParameters } from './call-parameters.ts';
import {
  type AnswerNews,
  type Attachment,
  asked,
  contextCleared,
  contextOf,
  deleted,
  type Ending,
  edited,
  ended,
  grown,
  hasRunning,
  putBack,
  retried,
  type Turns,
  tryShown,
  withTry,
} from './conversation.ts';
import { frames } from './frame-queue.ts';
import { requestBody } from './request-body.ts';

/** After a connection broke, a further try waits for what is left of this. */
const reconnectDelayMs = 3000;

export interface Question {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

interface Call {
  readonly controller: AbortController;
  readonly answerId: string;
  readonly index: number;
  readonly began: number;
  /** Not drawn yet. */
  news: AnswerNews[];
  hasSpoken: boolean;
  readonly draw: () => void;
}

export class Conversation {
  readonly turns: Store<Turns>;
  readonly #calls = new Set<Call>();
  #droppedAt = Number.NEGATIVE_INFINITY;

  /** @param turns of an earlier conversation to go on with */
  constructor(turns: Turns = []) {
    this.turns = new Store(turns);
  }

  ask({ text, attachments }: Question, parameters: CallParameters): void {
    const answerId = randomId();
    const question = { id: randomId(), text, attachments };
    this.#change((turns) => asked(turns, question, { id: answerId, model: parameters.model }));
    void this.#call(answerId, 0, parameters);
  }

  retry(answerId: string, parameters: CallParameters): void {
    if (this.isRunning()) return;
    this.#change((turns) => retried(turns, { id: answerId, model: parameters.model }));
    const turn = this.turns.get().find(({ id }) => id === answerId);
    if (turn?.kind === 'answer') void this.#call(answerId, turn.shown, parameters);
  }

  edit(userId: string, text: string, parameters: CallParameters): void {
    const answerId = randomId();
    this.stop();
    this.#change((turns) => edited(turns, { id: userId, text }, { id: answerId, model: parameters.model }));
    void this.#call(answerId, 0, parameters);
  }

  /** Takes a turn out; what it answers puts it back. */
  remove(id: string): () => void {
    for (const call of [...this.#calls]) if (call.answerId === id) this.#end(call, { state: 'stopped' });
    const before = this.turns.get();
    const place = before.findIndex((turn) => turn.id === id);
    const taken = before[place];
    this.#change((turns) => deleted(turns, id));
    const above = before.slice(0, Math.max(0, place)).map((turn) => turn.id);
    // Not by what stood there before: costs come in, and questions are asked, while the way back is offered.
    return () => {
      if (taken) this.#change((turns) => putBack(turns, taken, above));
    };
  }

  clearContext(): void {
    this.#change((turns) => contextCleared(turns, randomId()));
  }

  show(answerId: string, index: number): void {
    this.#change((turns) => tryShown(turns, answerId, index));
  }

  /** Ends all calls; what has come in stays. */
  stop(): void {
    for (const call of [...this.#calls]) this.#end(call, { state: 'stopped' });
  }

  readonly isRunning = (): boolean => hasRunning(this.turns.get());

  #change(change: (turns: Turns) => Turns): void {
    this.turns.set(change(this.turns.get()));
  }

  async #call(answerId: string, index: number, parameters: CallParameters): Promise<void> {
    const call: Call = {
      controller: new AbortController(),
      answerId,
      index,
      began: performance.now(),
      news: [],
      hasSpoken: false,
      draw: () => this.#draw(call),
    };
    this.#calls.add(call);
    const { signal } = call.controller;
    const body = JSON.stringify(requestBody(parameters, contextOf(this.turns.get(), answerId)));
    await pause(this.#droppedAt + reconnectDelayMs - performance.now(), signal);
    if (signal.aborted) return;
    let isOpen = false;
    try {
      const response = await fetch('/pg/chat/completions', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...ownHeaders(), ...pinned(parameters) },
        body,
        signal,
      });
      isOpen = true;
      noteRefusal(response);
      const requestId = response.headers.get('X-Request-Id');
      if (requestId) this.#change((turns) => withTry(turns, answerId, index, (answer) => ({ ...answer, requestId })));
      this.#end(call, await readAnswer(response, (news) => this.#hear(call, news)));
    } catch {
      if (signal.aborted) return;
      if (isOpen) this.#droppedAt = performance.now();
      this.#end(call, { state: 'error', failure: { kind: isOpen ? 'dropped' : 'network' } });
    }
  }

  #hear(call: Call, news: AnswerNews): void {
    if (!this.#calls.has(call)) return;
    const isSaid = news.text !== undefined || news.reasoning !== undefined || news.toolCalls !== undefined;
    if (isSaid && !call.hasSpoken) {
      call.hasSpoken = true;
      const firstMs = performance.now() - call.began;
      this.#change((turns) => withTry(turns, call.answerId, call.index, (answer) => ({ ...answer, firstMs })));
    }
    call.news.push(news);
    frames.add(call.draw);
  }

  #draw(call: Call): void {
    const { news } = call;
    call.news = [];
    if (news.length === 0) return;
    this.#change((turns) => withTry(turns, call.answerId, call.index, (answer) => news.reduce(grown, answer)));
  }

  /** In a hidden window no frame comes: the rest is drawn at once. */
  #end(call: Call, ending: Ending): void {
    if (!this.#calls.delete(call)) return;
    this.#draw(call);
    const totalMs = performance.now() - call.began;
    this.#change((turns) => withTry(turns, call.answerId, call.index, (answer) => ended(answer, ending, totalMs)));
    if (ending.state === 'stopped') call.controller.abort();
    void this.#findCost(call);
  }

  async #findCost({ answerId, index }: Call): Promise<void> {
    const turn = this.turns.get().find(({ id }) => id === answerId);
    const requestId = turn?.kind === 'answer' ? turn.tries[index]?.requestId : undefined;
    const quota = requestId === undefined ? undefined : await costOf(requestId);
    if (quota === undefined) return;
    this.#change((turns) => withTry(turns, answerId, index, (answer) => ({ ...answer, quota })));
  }
}

function pinned({ channel }: CallParameters): Record<string, string> {
  return channel === undefined ? {} : { 'Tollgate-Channel': String(channel) };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
