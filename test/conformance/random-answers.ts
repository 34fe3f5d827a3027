/**
 * Answers by chance, as the events of a stream: words in pieces of any size, thoughts, calls side by side, and usage,
 * in every order that `canonical/event.ts` allows. The bytes of a stream, in the spellings that vendors' servers have.
 */
import * as fc from 'fast-check';
import type { ChatEvent, Dialect, FinishReason } from '../../daemon/relay/canonical/chat.ts';
import { emptyUsage, type Usage } from '../../daemon/relay/canonical/usage.ts';
import type { WireEvent } from '../../daemon/relay/format.ts';
import type { Json } from '../../daemon/relay/json.ts';
import type { Answer } from '../support/checkers/answer.ts';

interface Call {
  readonly name: string;
  readonly input: string;
  /** In how many pieces its input comes. */
  readonly pieces: number;
}

type Step =
  | { readonly kind: 'text'; readonly pieces: readonly string[] }
  | { readonly kind: 'thought'; readonly pieces: readonly string[]; readonly isSealed: boolean }
  /** `isBeside`: all are open before the first one ends, and their pieces come in turn. */
  | { readonly kind: 'calls'; readonly calls: readonly Call[]; readonly isBeside: boolean };

export interface AnswerSketch {
  readonly steps: readonly Step[];
  /** The model's own words of refusal, after all else. */
  readonly refusal: readonly string[];
  readonly finish: FinishReason;
  readonly usage: { readonly fresh: number; readonly cached: number; readonly thought: number; readonly said: number };
  /** The vendor tells what it read with its first event already. */
  readonly tellsEarly: boolean;
}

/** How a server writes JSON: as JavaScript does, as Python does, and that in letters of ASCII alone. */
export type Spelling = 'compact' | 'spaced' | 'ascii';

// Letters of every width, what JSON escapes, and what looks like the framing of a stream.
const letters = fc.constantFrom(
  'a',
  ' ',
  '中',
  '😀',
  'é',
  '"',
  '\\',
  '\n',
  '\u2028',
  '</',
  'data: ',
  '\\n',
  '{',
  '}',
  '\t',
  '0',
);
const words = fc.array(letters, { minLength: 1, maxLength: 8 }).map((all) => all.join(''));
/** Many vendors send a letter of two halves in two pieces. */
const pieces = fc
  .tuple(fc.array(words, { minLength: 1, maxLength: 5 }), fc.boolean())
  .map(([all, isTorn]) => (isTorn ? all.join('').split('') : all));

/** A thought of blanks alone says nothing. */
const thoughtPieces = pieces.filter((all) => all.join('').trim() !== '');

const input = fc
  .dictionary(
    fc.constantFrom('city', 'n', 'deep', 'ключ', 'a"b'),
    fc.oneof(words, fc.integer(), fc.constant([1, { x: null }])),
    {
      noNullPrototype: true,
    },
  )
  .map((value) => JSON.stringify(value));
const call: fc.Arbitrary<Call> = fc.record({
  name: fc.constantFrom('weather', 'clock', 'look_up'),
  input: fc.oneof(input, fc.constant('')),
  pieces: fc.integer({ min: 1, max: 5 }),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('text'), pieces }),
  fc.record({ kind: fc.constant('thought'), pieces: thoughtPieces, isSealed: fc.boolean() }),
  fc.record({
    kind: fc.constant('calls'),
    calls: fc.array(call, { minLength: 1, maxLength: 3 }),
    isBeside: fc.boolean(),
  }),
);
const count = fc.integer({ min: 0, max: 5000 });

export const answerSketches: fc.Arbitrary<AnswerSketch> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 5 }),
  refusal: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, pieces),
  finish: fc.constantFrom('stop', 'length', 'content-filter', 'stop-sequence'),
  usage: fc.record({
    fresh: fc.integer({ min: 1, max: 5000 }),
    cached: count,
    thought: count,
    said: fc.integer({ min: 1, max: 5000 }),
  }),
  tellsEarly: fc.boolean(),
});

export const spellings: fc.Arbitrary<Spelling> = fc.constantFrom('compact', 'spaced', 'ascii');

/** The stream of a sketch, told by an upstream of the dialect. */
export function eventsOf(sketch: AnswerSketch, origin: Dialect): ChatEvent[] {
  const choice = 0;
  let block = 0;
  let made = 0;
  const usage = usageOf(sketch);
  const events: ChatEvent[] = [
    {
      type: 'message-start',
      id: 'answer-1',
      model: 'asked-model',
      ...(sketch.tellsEarly ? { usage: { ...usage, completion: 0, reasoning: 0 } } : {}),
    },
  ];
  for (const one of sketch.steps) {
    if (one.kind === 'text') {
      events.push({ type: 'text-start', choice, block });
      for (const text of one.pieces) events.push({ type: 'text-delta', choice, block, text });
      events.push({ type: 'text-end', choice, block });
      block += 1;
    } else if (one.kind === 'thought') {
      events.push({ type: 'reasoning-start', choice, block, form: 'full' });
      for (const text of one.pieces) events.push({ type: 'reasoning-delta', choice, block, text, part: 0 });
      const seal = { origin, data: Buffer.from(`seal ${block}`).toString('base64') };
      if (one.isSealed) events.push({ type: 'reasoning-signature', choice, block, seal });
      events.push({ type: 'reasoning-end', choice, block });
      block += 1;
    } else {
      const calls = one.calls.map((each) => callEvents(each, `call_${made++}`, block++));
      events.push(...(one.isBeside ? inTurn(calls) : calls.flat()));
    }
  }
  for (const text of sketch.refusal) events.push({ type: 'refusal-delta', choice, text });
  events.push({ type: 'finish', choice, finish: { reason: finishOf(sketch) } }, { type: 'usage', usage });
  return events;
}

function callEvents({ name, input, pieces }: Call, callId: string, block: number): ChatEvent[] {
  const size = Math.max(1, Math.ceil(input.length / pieces));
  const events: ChatEvent[] = [{ type: 'tool-call-start', choice: 0, block, kind: 'function', callId, name }];
  for (let at = 0; at < input.length; at += size) {
    events.push({ type: 'tool-call-delta', choice: 0, block, text: input.slice(at, at + size) });
  }
  return [...events, { type: 'tool-call-end', choice: 0, block }];
}

/** The first event of every call, then the second of every call, and so on: all have begun before the first one ends. */
function inTurn(calls: readonly ChatEvent[][]): ChatEvent[] {
  const longest = Math.max(...calls.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => calls.flatMap((events) => events.slice(at, at + 1))).flat();
}

function finishOf({ steps, finish }: AnswerSketch): FinishReason {
  return finish === 'stop' && steps.some(({ kind }) => kind === 'calls') ? 'tool-calls' : finish;
}

function usageOf({ usage: { fresh, cached, thought, said } }: AnswerSketch): Usage {
  return { ...emptyUsage(), prompt: fresh + cached, cached, completion: said + thought, reasoning: thought };
}

/** What a client is to hear of it. */
export function saidBy(sketch: AnswerSketch): Pick<Answer, 'text' | 'reasoning' | 'refusal' | 'calls' | 'usage'> {
  const said = {
    text: '',
    reasoning: '',
    refusal: sketch.refusal.join(''),
    calls: [] as Answer['calls'],
    usage: undefined as Answer['usage'],
  };
  for (const one of sketch.steps) {
    if (one.kind === 'text') said.text += one.pieces.join('');
    else if (one.kind === 'thought') said.reasoning += one.pieces.join('');
    else said.calls.push(...one.calls.map(({ name, input }) => ({ name, input })));
  }
  const { prompt, cached, completion } = usageOf(sketch);
  return { ...said, usage: { prompt, cached, completion } };
}

/** A stream as bytes. */
export function bytesOf(events: readonly WireEvent[], spelling: Spelling): Buffer {
  const lines = events.map(({ event, data }) => {
    const payload = data.startsWith('{') ? spelled(JSON.parse(data), spelling) : data;
    return `${event === undefined ? '' : `event: ${event}\n`}data: ${payload}\n\n`;
  });
  return Buffer.from(lines.join(''));
}

function spelled(value: Json, spelling: Spelling): string {
  if (spelling === 'compact') return JSON.stringify(value);
  const text = spaced(value);
  if (spelling === 'spaced') return text;
  return text.replace(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function spaced(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${spaced(member ?? null)}`)
    .join(', ')}}`;
}
