/** Sound that comes over one of Alibaba DashScope's sockets, whichever events tell of it. Source: as of the formats that use this. */
import type { CallReply, LiveSound } from '../call-format.ts';
import type { SpeechRequest } from '../canonical/speech.ts';
import { emptyUsage, type Usage } from '../canonical/usage.ts';
import type { Scope } from '../format.ts';
import type { JsonObject } from '../json.ts';
import type { UnusableAnswer } from '../native-answer.ts';
import type { SocketTurn } from '../socket-talk.ts';
import { asObject, inexpressible, parseJson } from './fields.ts';
import { isForeignVoice } from './foreign-voices.ts';

/** Samples a second: every form knows it, and it is what clients of `pcm` expect. */
export const spokenRate = 24_000;

const mediaTypes: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
  opus: 'audio/ogg',
};

/** What has been spoken so far, and what the client hears of it. */
export class SpokenSound implements LiveSound {
  readonly #text: string;
  readonly #form: string;
  #usage: Usage | undefined;
  #hasSpoken = false;
  #isComplete = false;
  #error: JsonObject | undefined;

  /** @param form as the vendor names it */
  constructor({ text, form }: { text: string; form: string }) {
    this.#text = text;
    this.#form = form;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  get error(): JsonObject | undefined {
    return this.#error;
  }

  get hasSpoken(): boolean {
    return this.#hasSpoken;
  }

  /** What has been reported of all that was spoken so far. */
  get reported(): Usage | undefined {
    return this.#usage;
  }

  usage(): Usage {
    if (this.#usage !== undefined) return this.#usage;
    const characters = billedCharacters(this.#text);
    return { ...emptyUsage('estimated'), prompt: characters, units: { characters } };
  }

  /** Replaces what was reported before; undefined changes nothing. */
  report(usage: Usage | undefined): void {
    this.#usage = usage ?? this.#usage;
  }

  speak(sound: Buffer): SocketTurn {
    if (sound.length === 0) return {};
    if (this.#hasSpoken) return { tell: sound };
    this.#hasSpoken = true;
    return { contentType: mediaTypes[this.#form] ?? 'audio/mpeg', tell: sound };
  }

  complete(): SocketTurn {
    this.#isComplete = true;
    return this.#end({});
  }

  /** @param refusal why, as the vendor's HTTP interface words it */
  fail(refusal: JsonObject): SocketTurn {
    this.#error = refusal;
    return this.#end(refusal);
  }

  /** Sound goes on as it comes: what is read is an end without any. */
  read({ body }: CallReply): UnusableAnswer {
    const refusal = asObject(parseJson(body.toString('utf8')));
    return refusal === undefined || this.#error === undefined ? { kind: 'empty' } : { kind: 'error', body: refusal };
  }

  #end(words: JsonObject): SocketTurn {
    if (this.#hasSpoken) return { end: true };
    return { contentType: 'application/json', tell: Buffer.from(JSON.stringify(words)), end: true };
  }
}

/** The form in which a model speaks: the one that is asked for where it has that one, else the first of these. */
export function spokenForm({ form }: SpeechRequest, forms: readonly [string, ...string[]], scope: Scope): string {
  const [usual] = forms;
  if (form === undefined || forms.includes(form)) return form ?? usual;
  scope.lose('response_format');
  return usual;
}

/** The voice that speaks. @param known the model's own; undefined where it has only such as were made for its owner */
export function spokenVoice({ voice }: SpeechRequest, known: string | undefined, scope: Scope): string {
  const isForeign = voice !== undefined && isForeignVoice(voice);
  if (voice !== undefined && !isForeign) return voice;
  if (known === undefined) throw inexpressible('voice', 'this model speaks with voices that were made for it only');
  if (isForeign) scope.lose('voice');
  return known;
}

/** How fast these models can speak; undefined: as they like. */
export function spokenSpeed({ speed }: SpeechRequest): number | undefined {
  return speed === undefined ? undefined : Math.min(2, Math.max(0.5, speed));
}

/** The text in pieces of so many characters at most; no pair of surrogates is torn apart. */
export function* textPieces(text: string, length: number): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start, length);
    yield text.slice(start, end);
    start = end;
  }
}

function pieceEnd(text: string, start: number, length: number): number {
  const end = Math.min(text.length, start + length);
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/** As the vendor counts: Han characters twice, all others once. */
function billedCharacters(text: string): number {
  let count = 0;
  for (const character of text) count += /\p{Script=Han}/u.test(character) ? 2 : 1;
  return count;
}
