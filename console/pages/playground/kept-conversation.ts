/** A conversation as the browser keeps it and as a file carries it. Pure. */
import * as z from 'zod/mini';
import { CallParameters } from './call-parameters.ts';
import { type Answer, isRunning, type Turns } from './conversation.ts';

const ToolCall = z.object({ index: z.optional(z.number()), name: z.string(), arguments: z.string() });

const Failure = z.union([
  z.object({ kind: z.literal('told'), text: z.string(), code: z.optional(z.string()) }),
  z.object({ kind: z.enum(['network', 'dropped']) }),
]);

const Try = z.object({
  state: z.enum(['loading', 'incomplete', 'complete', 'stopped', 'error']),
  model: z.string(),
  text: z.string(),
  reasoning: z.string(),
  toolCalls: z.array(ToolCall),
  failure: z.optional(Failure),
  requestId: z.optional(z.string()),
  firstMs: z.optional(z.number()),
  totalMs: z.optional(z.number()),
  usage: z.optional(z.object({ prompt: z.number(), completion: z.number() })),
  quota: z.optional(z.number()),
});

const Turn = z.union([
  z.object({
    kind: z.literal('user'),
    id: z.string(),
    text: z.string(),
    attachments: z.array(z.object({ kind: z.enum(['image', 'text']), name: z.string(), content: z.string() })),
  }),
  z
    .object({ kind: z.literal('answer'), id: z.string(), tries: z.array(Try), shown: z.int().check(z.minimum(0)) })
    .check(z.refine(({ tries, shown }) => shown < tries.length)),
  z.object({ kind: z.literal('cut'), id: z.string() }),
]);

export const KeptConversation = z.object({
  id: z.string().check(z.minLength(1), z.maxLength(64)),
  title: z.string(),
  /** Milliseconds since 1970. */
  savedAt: z.number(),
  /** One, or two that were compared. */
  sides: z.array(z.object({ parameters: CallParameters, turns: z.array(Turn) })).check(z.minLength(1), z.maxLength(2)),
});
export type KeptConversation = z.infer<typeof KeptConversation>;

export interface KeptSide {
  readonly parameters: CallParameters;
  readonly turns: Turns;
}

const titleLength = 60;

/** What is kept of sides; undefined while nothing was said. */
export function keptOf(id: string, sides: readonly KeptSide[], savedAt: number): KeptConversation | undefined {
  const first = sides.flatMap(({ turns }) => turns).find((turn) => turn.kind === 'user');
  if (!first) return undefined;
  const title = (first.text.trim() || first.attachments[0]?.name || '').replace(/\s+/g, ' ').slice(0, titleLength);
  const plain: unknown = { id, title, savedAt, sides };
  return KeptConversation.parse(plain);
}

/** The turns to go on with: an answer that was coming in when the page was left has stopped. */
export function restored(turns: KeptConversation['sides'][number]['turns']): Turns {
  const ended = (answer: Answer): Answer => (isRunning(answer) ? { ...answer, state: 'stopped' } : answer);
  // The schema reads what a file says; absent members stay absent.
  const read = turns as Turns;
  return read.map((turn) => (turn.kind === 'answer' ? { ...turn, tries: turn.tries.map(ended) } : turn));
}

/** Conversations of an exported file. Throws SyntaxError or a ZodError where it is none. */
export function conversationsOf(text: string): readonly KeptConversation[] {
  return z.array(KeptConversation).parse(JSON.parse(text));
}
