/** The outside help that codecs get: identifiers, the time, and a place to note what could not be said. */
import { randomFillSync } from 'node:crypto';
import type { Scope, UpstreamTraits } from '../relay/format.ts';
import type { JsonObject } from '../relay/json.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 24;
const TEXTS_AT_ONCE = 128;
/** Names of fields may be the client's own inventions: neither many nor long ones are worth remembering. */
const MAX_LOST = 64;
const MAX_FIELD_LENGTH = 96;

export interface ScopeFacts {
  /** Model name that the client is shown. */
  readonly model: string;
  readonly leavesOutTools?: boolean | undefined;
  readonly traits?: Partial<UpstreamTraits>;
  readonly ofHeaders?: JsonObject;
  readonly promptTokens?: number;
  readonly requestId?: string;
  readonly endUser?: string;
  /** Filled with the fields that the target cannot say. */
  readonly lost?: string[];
}

/** A scope for the codecs of one attempt. */
export function codecScope(facts: ScopeFacts): Scope {
  const { model, traits, ofHeaders, promptTokens, requestId, endUser, lost } = facts;
  const scope: { -readonly [Member in keyof Scope]: Scope[Member] } = {
    newId: (prefix) => prefix + randomTexts.next(),
    now: () => Math.floor(Date.now() / 1000),
    model,
    lose: (field) => {
      if (lost === undefined || lost.length >= MAX_LOST) return;
      const name = field.slice(0, MAX_FIELD_LENGTH);
      if (!lost.includes(name)) lost.push(name);
    },
  };
  if (facts.leavesOutTools === true) scope.leavesOutTools = true;
  if (traits !== undefined) scope.traits = traits;
  if (ofHeaders !== undefined) scope.ofHeaders = ofHeaders;
  if (promptTokens !== undefined) scope.promptTokens = promptTokens;
  if (requestId !== undefined) scope.requestId = requestId;
  if (endUser !== undefined) scope.endUser = endUser;
  return scope;
}

/** Random texts. The system is asked for those of many at once: an answer of a vendor without ids may need 100,000. */
class RandomTexts {
  readonly #letters = Buffer.alloc(ID_LENGTH * TEXTS_AT_ONCE);
  #used = this.#letters.length;

  next(): string {
    if (this.#used === this.#letters.length) this.#draw();
    const start = this.#used;
    this.#used += ID_LENGTH;
    return this.#letters.toString('latin1', start, this.#used);
  }

  #draw(): void {
    const letters = randomFillSync(this.#letters);
    // Values above the alphabet are folded back: ids need no perfect uniformity.
    for (const [at, byte] of letters.entries()) letters[at] = ALPHABET.charCodeAt(byte % ALPHABET.length);
    this.#used = 0;
  }
}

const randomTexts = new RandomTexts();
