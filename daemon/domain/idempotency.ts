/**
 * Calls that may be repeated: the first one with an `Idempotency-Key` does the work, later ones with the same content
 * get its answer again. The claim, the work and the answer are one transaction, so a lost answer never costs a second
 * batch, and a call that failed leaves the key free.
 */
import { createHash } from 'node:crypto';
import { TollgateError } from '../errors.ts';
import type { Database, Stores } from '../store/database.ts';

export interface IdempotentCall {
  /** Who calls; keys of different callers never meet. */
  readonly actorId: number;
  /** The header's value; undefined or '' when the caller sent none. */
  readonly key: string | undefined;
  /** Method and path. */
  readonly route: string;
  /** What was asked, as a JSON value; another content under the same key is refused. */
  readonly content: unknown;
  /** Unix seconds. */
  readonly nowSeconds: number;
}

const longestKey = 255;

/** How an answer is kept between calls. */
export interface AnswerForm<Answer> {
  write(answer: Answer): string;
  read(text: string): Answer;
}

/** What the caller gets, and whether it was given before. */
export interface IdempotentAnswer<Answer> {
  readonly answer: Answer;
  readonly replayed: boolean;
}

/** Runs the work once per key, in one transaction. Throws `idempotency_conflict` and what the work throws. */
export async function runOnce<Answer>(
  database: Database,
  call: IdempotentCall,
  form: AnswerForm<Answer>,
  work: (stores: Stores) => Promise<Answer>,
): Promise<IdempotentAnswer<Answer>> {
  const { key } = call;
  if (key === undefined || key === '') return { answer: await database.transaction(work), replayed: false };
  if (key.length > longestKey) throw new TollgateError('invalid_params', {}, { field: 'Idempotency-Key' });
  const requestHash = createHash('sha256')
    .update(`${call.route}\n${stableJson(call.content)}`)
    .digest('hex');
  const name = { actorId: call.actorId, key };
  return database.transaction(async (stores) => {
    const isFirst = await stores.idempotencyKeys.claim({ ...name, requestHash, createdAt: call.nowSeconds });
    if (isFirst) {
      const answer = await work(stores);
      await stores.idempotencyKeys.complete(name, form.write(answer));
      return { answer, replayed: false };
    }
    const before = await stores.idempotencyKeys.find(name);
    if (before?.requestHash !== requestHash || before.response === null) {
      throw new TollgateError('idempotency_conflict');
    }
    return { answer: form.read(before.response), replayed: true };
  });
}

/** JSON with sorted members, so that the order in which a client writes them does not matter. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
