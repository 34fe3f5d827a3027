/**
 * Prompts and answers on their way into the database (relay.md 16.2, 16.3): a bounded queue, because nobody waits for
 * them; what does not fit is lost and counted.
 */
import type { Database } from '../store/database.ts';
import type { LogBodyRecord } from '../store/log-bodies.ts';
import { withoutNul } from '../store/table.ts';
import { WriteBehind } from './write-behind.ts';

/** Texts of one call; empty texts are not stored. */
export interface CallContent {
  readonly requestId: string;
  readonly userId: number;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly systemPrompt: string;
  readonly context: readonly { readonly role: string; readonly content: string }[];
  readonly inputContent: string;
  readonly outputContent: string;
}

export interface LogContentDeps {
  readonly database: Database;
  /** Told when texts could not be written; they are lost. */
  readonly report: (error: unknown) => void;
}

const writtenAtOnce = 200;
const writtenAfterMs = 1000;
const mostWaiting = 100_000;
const mostWaitingBytes = 256 * 1024 * 1024;
/** Bytes of one stored text. */
const mostTextBytes = 64 * 1024;
/** Of what a caller names as who says something. */
const mostRoleBytes = 256;
const cutMark = '...[cut]';

export class LogContentQueue {
  readonly #deps: LogContentDeps;
  #waiting: LogBodyRecord[] = [];
  #waitingBytes = 0;
  #lost = 0;
  readonly #writer = new WriteBehind(() => this.#write(), writtenAfterMs);

  constructor(deps: LogContentDeps) {
    this.#deps = deps;
  }

  /** Calls whose texts were lost since the start. */
  get lost(): number {
    return this.#lost;
  }

  /** Takes the texts of a call; never waits. */
  keep(content: CallContent): void {
    const body = bodyOf(content);
    const bytes = sizeOf(body);
    if (this.#waiting.length >= mostWaiting || this.#waitingBytes + bytes > mostWaitingBytes) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(body);
    this.#waitingBytes += bytes;
    if (this.#waiting.length >= writtenAtOnce) void this.flush();
    else this.#writer.plan();
  }

  /** Writes what waits; for shutdown too. Never rejects. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, writtenAtOnce);
      for (const body of batch) this.#waitingBytes -= sizeOf(body);
      try {
        await this.#deps.database.stores.logBodies.insert(batch);
      } catch (error) {
        this.#lost += batch.length;
        this.#deps.report(error);
      }
    }
  }
}

function bodyOf(content: CallContent): LogBodyRecord {
  const { requestId, userId, createdAt, context } = content;
  return {
    requestId,
    userId,
    createdAt,
    systemPrompt: stored(content.systemPrompt),
    context: context.length === 0 ? null : contextText(context),
    inputContent: stored(content.inputContent),
    outputContent: stored(content.outputContent),
  };
}

/** The newest messages that fit, the oldest of them cut; JSON text stays JSON text. */
function contextText(context: CallContent['context']): string {
  const kept: string[] = [];
  let room = mostTextBytes;
  for (const { role, content } of context.toReversed()) {
    if (room <= 0) break;
    // As it is written: messages without a word take room too, and their number is the caller's.
    const message = JSON.stringify({
      role: cut(withoutNul(role), mostRoleBytes),
      content: cut(withoutNul(content), room),
    });
    kept.push(message);
    room -= Buffer.byteLength(message) + 1;
  }
  return `[${kept.reverse().join(',')}]`;
}

/** Null for nothing. */
function stored(text: string): string | null {
  const clean = withoutNul(text);
  return clean === '' ? null : cut(clean, mostTextBytes);
}

function cut(text: string, mostBytes: number): string {
  if (text.length * 3 <= mostBytes) return text;
  // A character takes a byte at least: what is beyond need not be looked at, and may be a hundred megabytes.
  const bytes = Buffer.from(text.slice(0, mostBytes));
  if (text.length <= mostBytes && bytes.length <= mostBytes) return text;
  // A decoder that expects more leaves out a character that was cut in its middle.
  return new TextDecoder().decode(bytes.subarray(0, mostBytes), { stream: true }) + cutMark;
}

function sizeOf({ systemPrompt, context, inputContent, outputContent }: LogBodyRecord): number {
  const texts = [systemPrompt, context, inputContent, outputContent];
  return texts.reduce((sum, text) => sum + 2 * (text?.length ?? 0), 0);
}
