/** A conversation as the playground keeps it, and all that can happen to it. Pure: what comes in is never changed. */

export interface Attachment {
  readonly kind: 'image' | 'text';
  readonly name: string;
  /** Data URL of an image, content of a text file. */
  readonly content: string;
}

/** Why there is no whole answer. */
export type Failure =
  | { readonly kind: 'told'; readonly text: string; readonly code?: string }
  /** Nothing came back at all. */
  | { readonly kind: 'network' }
  /** The connection broke while the answer came in. */
  | { readonly kind: 'dropped' };

export interface ToolCall {
  /** By which the stream names it; absent in what was kept before it was noted. */
  readonly index?: number;
  readonly name: string;
  /** JSON text, as far as it has come. */
  readonly arguments: string;
}

export interface Usage {
  readonly prompt: number;
  readonly completion: number;
}

export type AnswerState = 'loading' | 'incomplete' | 'complete' | 'stopped' | 'error';

/** One try at an answer. */
export interface Answer {
  readonly state: AnswerState;
  readonly model: string;
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  readonly failure?: Failure;
  readonly requestId?: string;
  /** Milliseconds from the question to the first token. */
  readonly firstMs?: number;
  /** Milliseconds from the question to the end. */
  readonly totalMs?: number;
  readonly usage?: Usage;
  /** What it cost, in quota. */
  readonly quota?: number;
}

export interface UserTurn {
  readonly kind: 'user';
  readonly id: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** The tries at one answer, of which one is shown and sent along. */
export interface AnswerTurn {
  readonly kind: 'answer';
  readonly id: string;
  readonly tries: readonly Answer[];
  readonly shown: number;
}

/** What stands above is not sent any more. */
export interface CutTurn {
  readonly kind: 'cut';
  readonly id: string;
}

export type Turn = UserTurn | AnswerTurn | CutTurn;
export type Turns = readonly Turn[];

/** What a stream tells about an answer. */
export interface AnswerNews {
  readonly text?: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly { readonly index: number; readonly name?: string; readonly arguments?: string }[];
  readonly usage?: Usage;
}

export const isRunning = ({ state }: Answer): boolean => state === 'loading' || state === 'incomplete';

export function shownTry(turn: AnswerTurn): Answer {
  const found = turn.tries[turn.shown];
  if (!found) throw new Error(`the answer ${turn.id} has no try ${turn.shown}`);
  return found;
}

/** True while any answer comes in. */
export function hasRunning(turns: Turns): boolean {
  return turns.some((turn) => turn.kind === 'answer' && turn.tries.some(isRunning));
}

function freshAnswer(model: string): Answer {
  return { state: 'loading', model, text: '', reasoning: '', toolCalls: [] };
}

/** Which answer is awaited, and of whom. */
interface AwaitedAnswer {
  readonly id: string;
  readonly model: string;
}

/** A question and the answer that is awaited. */
export function asked(turns: Turns, question: Omit<UserTurn, 'kind'>, { id, model }: AwaitedAnswer): Turns {
  return [...turns, { kind: 'user', ...question }, { kind: 'answer', id, tries: [freshAnswer(model)], shown: 0 }];
}

/** A further try at an answer; the earlier ones stay. */
export function retried(turns: Turns, { id, model }: AwaitedAnswer): Turns {
  return turns.map((turn) =>
    turn.kind === 'answer' && turn.id === id
      ? { ...turn, tries: [...turn.tries, freshAnswer(model)], shown: turn.tries.length }
      : turn,
  );
}

/** A question in other words: what followed it is gone, and a new answer is awaited. */
export function edited(turns: Turns, words: Pick<UserTurn, 'id' | 'text'>, answer: AwaitedAnswer): Turns {
  const place = turns.findIndex(({ id }) => id === words.id);
  const question = turns[place];
  if (question?.kind !== 'user') return turns;
  return asked(turns.slice(0, place), { ...question, text: words.text }, answer);
}

export function deleted(turns: Turns, id: string): Turns {
  return turns.filter((turn) => turn.id !== id);
}

/** Puts a turn back that was taken out, below the nearest of those above it that is still there. */
export function putBack(turns: Turns, turn: Turn, above: readonly string[]): Turns {
  if (turns.some(({ id }) => id === turn.id)) return turns;
  const place = turns.findLastIndex(({ id }) => above.includes(id)) + 1;
  return turns.toSpliced(place, 0, turn);
}

/** Draws the line below which a new context begins; no second one where it would change nothing. */
export function contextCleared(turns: Turns, id: string): Turns {
  const last = turns.at(-1);
  return last === undefined || last.kind === 'cut' ? turns : [...turns, { kind: 'cut', id }];
}

/** Shows another of the tries at an answer. */
export function tryShown(turns: Turns, answerId: string, index: number): Turns {
  return turns.map((turn) =>
    turn.kind === 'answer' && turn.id === answerId && turn.tries[index] ? { ...turn, shown: index } : turn,
  );
}

/** Applies a change to one try; a try that is gone is left alone. */
export function withTry(turns: Turns, answerId: string, index: number, change: (answer: Answer) => Answer): Turns {
  return turns.map((turn) =>
    turn.kind === 'answer' && turn.id === answerId
      ? { ...turn, tries: turn.tries.map((answer, place) => (place === index ? change(answer) : answer)) }
      : turn,
  );
}

/** What the stream told is added; an answer that has ended stays as it is. */
export function grown(answer: Answer, news: AnswerNews): Answer {
  if (!isRunning(answer)) return answer;
  const isSaid = Boolean(news.text || news.reasoning || news.toolCalls?.length);
  return {
    ...answer,
    state: isSaid ? 'incomplete' : answer.state,
    text: answer.text + (news.text ?? ''),
    reasoning: answer.reasoning + (news.reasoning ?? ''),
    toolCalls: withToolCalls(answer.toolCalls, news.toolCalls ?? []),
    ...(news.usage && { usage: news.usage }),
  };
}

function withToolCalls(calls: readonly ToolCall[], parts: NonNullable<AnswerNews['toolCalls']>): readonly ToolCall[] {
  const next = [...calls];
  // A number is a name, not a place: some count from one, or leave numbers out.
  for (const { index, name = '', arguments: more = '' } of parts) {
    const place = next.findIndex((call) => call.index === index);
    const known = next[place];
    if (known === undefined) next.push({ index, name, arguments: more });
    else next[place] = { ...known, name: known.name + name, arguments: known.arguments + more };
  }
  return next;
}

/** How an answer ended; what has come of it stays. */
export type Ending =
  | { readonly state: 'complete' | 'stopped' }
  | { readonly state: 'error'; readonly failure: Failure };

export function ended(answer: Answer, ending: Ending, totalMs: number): Answer {
  return isRunning(answer) ? { ...answer, ...ending, totalMs } : answer;
}

/** The turns that are sent for an answer: those above it, from the last line on. */
export function contextOf(turns: Turns, answerId: string): Turns {
  const place = turns.findIndex(({ id }) => id === answerId);
  const above = place < 0 ? turns : turns.slice(0, place);
  return above.slice(above.findLastIndex(({ kind }) => kind === 'cut') + 1);
}
