/**
 * The native lane's whole answers: the body goes on as it came, but for the model name; usage, errors inside a success
 * and emptiness (REQ-11) are read from it.
 */
import { type BodyEdit, editAnswer } from './body-edit.ts';
import { type ObjectSpan, scanTopLevel, skipSpace } from './body-scan.ts';
import type { CountedOutput, ToolCounts, Usage } from './canonical/usage.ts';
import type { FormatId } from './format.ts';
import { findAnthropicUsage } from './formats/anthropic-messages/usage.ts';
import { asAnswer, asList, asObject, asObjects, asText, asWord, entryOf, parseJson } from './formats/fields.ts';
import { findGeminiUsage, findSearches } from './formats/gemini-generate/usage.ts';
import { findUsage } from './formats/openai-chat/read-usage.ts';
import { findEmbeddingsUsage, untoldMembers } from './formats/openai-embeddings/usage.ts';
import { withPackedVectors } from './formats/openai-embeddings/vectors.ts';
import { findResponsesUsage } from './formats/openai-responses/usage.ts';
import { handedOutContainer, handedOutSpeech, madeFiles, messageId } from './handed-out.ts';
import type { Json, JsonObject } from './json.ts';
import { type EventFacts, silentEvent } from './native-profile.ts';
import { isChatError, readChatAnswer } from './native-profile-chat.ts';
import { isGenerateError, readCandidates } from './native-profile-generate.ts';
import { isMessagesError, readMessageAnswer } from './native-profile-messages.ts';
import type { EndWords } from './native-wording.ts';
import { type StoredAnswer, storedAnswer } from './stored-answer.ts';
import { estimateText, tokenFamilyOf } from './tokens/estimate.ts';
import { madeImageTokens } from './tokens/image-tokens.ts';
import { SoundMeter } from './tokens/sound-meter.ts';

/**
 * Why a success is no answer: the upstream's own error object, nothing said at all, or what means nothing in this
 * dialect; with what it reports to have used all the same.
 */
export type UnusableAnswer =
  | { readonly kind: 'error'; readonly body: JsonObject; readonly usage?: Usage | undefined }
  | { readonly kind: 'empty'; readonly usage?: Usage | undefined }
  | { readonly kind: 'unreadable'; readonly usage?: Usage | undefined };

interface AnswerProfile {
  /** Members that are read; the others may be too large to look at. Undefined: all of them. */
  readonly reads?: ReadonlySet<string>;
  /** Member that names the model; default `model`. */
  readonly modelMember?: string;
  /** Where what is said stands, be it nothing, in a list: a body without it is of another dialect. */
  readonly saidIn: string;
  /** It may be left out where nothing is said. */
  readonly mayBeSilent?: true;
  readonly usage: (body: JsonObject) => Usage | undefined;
  /** What the answer must tell and does not; absent where nothing must be told. */
  readonly untold?: (body: JsonObject, told: { model: string; promptTokens: () => number }) => BodyEdit[];
  /** Tools that are told of beside usage; absent where none are. */
  readonly tools?: (body: JsonObject) => ToolCounts | undefined;
  readonly facts: (body: JsonObject) => EventFacts;
  readonly isError: (body: JsonObject) => boolean;
  readonly stored?: (body: JsonObject) => StoredAnswer | undefined;
  /** The id under which the upstream keeps something that a later request may name; absent where none is given. */
  readonly handedOut?: (body: JsonObject) => string | undefined;
  readonly messageId?: (body: JsonObject) => string | undefined;
}

/** Vectors and scores are never looked into: there they are, in a list, or they are not. */
function hasEntries(member: string): (body: JsonObject) => EventFacts {
  return (body) => ({ ...silentEvent, hasMedia: asList(body[member]).length > 0, finish: 'natural' });
}

const openBracket = 0x5b;
const closeBracket = 0x5d;

const embeddings: AnswerProfile = {
  reads: new Set(['model', 'usage', 'error', 'error_msg', 'message', 'msg', 'detail', 'code', 'error_code', 'object']),
  saidIn: 'data',
  usage: findEmbeddingsUsage,
  untold: untoldMembers,
  facts: hasEntries('data'),
  isError: isChatError,
};

const moderations: AnswerProfile = {
  saidIn: 'results',
  usage: findUsage,
  facts: hasEntries('results'),
  isError: isChatError,
};

const completions: AnswerProfile = {
  saidIn: 'choices',
  usage: findUsage,
  facts: readChatAnswer,
  isError: isChatError,
};

const chat: AnswerProfile = { ...completions, handedOut: handedOutSpeech };

const responses: AnswerProfile = {
  saidIn: 'output',
  usage: findResponsesUsage,
  facts: readOutput,
  isError: (body) => body.status === 'failed' || (body.object !== 'response' && isChatError(body)),
  stored: (body) => storedAnswer(body),
};

const compaction: AnswerProfile = {
  saidIn: 'output',
  usage: findResponsesUsage,
  facts: hasEntries('output'),
  isError: isChatError,
  stored: (body) => storedAnswer(body),
};

const messages: AnswerProfile = {
  saidIn: 'content',
  usage: findAnthropicUsage,
  facts: readMessageAnswer,
  isError: isMessagesError,
  handedOut: handedOutContainer,
  messageId,
};

const generate: AnswerProfile = {
  saidIn: 'candidates',
  mayBeSilent: true,
  modelMember: 'modelVersion',
  usage: findGeminiUsage,
  tools: findSearches,
  facts: readCandidates,
  isError: isGenerateError,
};

const profiles: Partial<Record<FormatId, AnswerProfile>> = {
  'openai-chat': chat,
  'openai-completions': completions,
  'openai-edits': completions,
  'openai-embeddings': embeddings,
  'openai-moderations': moderations,
  'openai-responses': responses,
  'openai-responses-compact': compaction,
  'anthropic-messages': messages,
  'gemini-generate': generate,
};

function readOutput(body: JsonObject): EventFacts {
  let text = '';
  let isSubstantial = false;
  let hasMedia = false;
  for (const item of asObjects(body.output)) {
    for (const part of [...asObjects(item.content), ...asObjects(item.summary)]) {
      text += asText(part.text) ?? asText(part.refusal) ?? '';
      if (part.type === 'refusal') isSubstantial = true;
    }
    text += (asText(item.name) ?? '') + (asText(item.arguments) ?? asText(item.input) ?? '');
    if (item.type === 'image_generation_call') hasMedia = true;
    else if (item.type !== 'message') isSubstantial = true;
  }
  // A response that still runs in the background has said nothing yet and is none the worse for it.
  if (body.status === 'queued' || body.status === 'in_progress') isSubstantial = true;
  return { text, toolCalls: 0, hasMedia, isSubstantial, finish: body.status === 'incomplete' ? 'cut' : 'natural' };
}

export interface NativeAnswerOptions {
  readonly format: FormatId;
  /** Model name that the client asked for. */
  readonly model: string;
  /** Decides whose token weights apply; default `model`. */
  readonly countedAs?: string;
  /** Writes `model` over the name that the upstream reports. */
  readonly renameModel: boolean;
  readonly endWords?: EndWords | undefined;
  /** The client asked for vectors in base64, which not every upstream knows. */
  readonly packsVectors?: boolean;
  /** Estimate of the prompt, for a report of usage that the upstream does not send. */
  readonly promptTokens: () => number;
}

/** A complete answer that may be delivered. */
export class NativeAnswer {
  readonly #bytes: Buffer;
  readonly #json: JsonObject;
  readonly #facts: EventFacts;
  readonly #profile: AnswerProfile;
  readonly #options: NativeAnswerOptions;
  readonly #usage: Usage | undefined;

  constructor(parts: {
    bytes: Buffer;
    json: JsonObject;
    facts: EventFacts;
    profile: AnswerProfile;
    options: NativeAnswerOptions;
  }) {
    this.#bytes = parts.bytes;
    this.#json = parts.json;
    this.#facts = parts.facts;
    this.#profile = parts.profile;
    this.#options = parts.options;
    this.#usage = parts.profile.usage(parts.json);
  }

  get hasOutput(): boolean {
    return saysSomething(this.#facts) || this.#facts.text !== '';
  }

  /** Undefined where no upstream keeps answers of this format. */
  get stored(): StoredAnswer | undefined {
    return this.#profile.stored?.(this.#json);
  }

  /** The id under which the upstream keeps something of an answer that is not stored as a whole. */
  get handedOut(): string | undefined {
    return this.#profile.handedOut?.(this.#json);
  }

  /** By what a thread goes on from this answer; undefined where there are no threads. */
  get messageId(): string | undefined {
    return this.#profile.messageId?.(this.#json);
  }

  /** Ids of the files that hosted tools of a message made. */
  madeFiles(): readonly string[] {
    return asObjects(this.#json.content).flatMap(madeFiles);
  }

  usage(): Usage | undefined {
    return this.#usage;
  }

  /** Tools that the upstream ran, also where it reports no usage. */
  tools(): ToolCounts | undefined {
    return this.#profile.tools?.(this.#json);
  }

  /** Output counted locally. */
  counted(): CountedOutput {
    const { text, images = 0, sounds = [] } = this.#facts;
    const { model, countedAs = model } = this.#options;
    const said = estimateText(tokenFamilyOf(countedAs), text);
    const seen = images === 0 ? 0 : images * madeImageTokens(countedAs);
    const meter = new SoundMeter();
    for (const piece of sounds) meter.add(piece);
    return { completion: said + seen + meter.tokens, completionAudio: meter.tokens };
  }

  /** Nothing but white space came, and not because a limit or filter cut it. */
  isBlank(): boolean {
    return !saysSomething(this.#facts) && this.#facts.finish !== 'cut';
  }

  /** The answer as parsed; large members of embeddings are left out. */
  get json(): JsonObject {
    return this.#json;
  }

  /** The body for the client. */
  body(): Buffer {
    const { renameModel, model, endWords, packsVectors, promptTokens } = this.#options;
    const { modelMember: member = 'model', untold } = this.#profile;
    const bytes = packsVectors === true ? withPackedVectors(this.#bytes) : this.#bytes;
    const edits = untold?.(this.#json, { model, promptTokens }) ?? [];
    if (renameModel && this.#json[member] !== undefined) edits.push({ path: [member], set: model });
    if (endWords !== undefined) this.#reword(edits, endWords);
    return edits.length === 0 ? bytes : editAnswer(bytes, edits);
  }

  #reword(edits: BodyEdit[], endWords: EndWords): void {
    for (const [index, choice] of asList(this.#json.choices).entries()) {
      const meant = entryOf(endWords, asWord(asObject(choice)?.finish_reason) ?? '');
      if (meant !== undefined) edits.push({ path: ['choices', String(index), 'finish_reason'], set: meant });
    }
  }
}

function saysSomething(facts: EventFacts): boolean {
  return facts.isSubstantial || facts.hasMedia || facts.toolCalls > 0 || facts.text.trim() !== '';
}

/** Judges the body of a success. */
export function readNativeAnswer(bytes: Buffer, options: NativeAnswerOptions): NativeAnswer | UnusableAnswer {
  const profile = profiles[options.format];
  if (profile === undefined) return { kind: 'unreadable' };
  const json = profile.reads ? readMembers(bytes, profile.reads) : asAnswer(parseJson(bytes.toString('utf8')));
  if (json === undefined) return { kind: 'unreadable' };
  if (profile.isError(json)) return { kind: 'error', body: json, usage: profile.usage(json) };
  const facts = profile.facts(json);
  const answer = new NativeAnswer({ bytes, json, facts, profile, options });
  if (answer.hasOutput || facts.finish === 'cut') return answer;
  const usage = answer.usage();
  if (usage === undefined) return { kind: 'empty' };
  const said = json[profile.saidIn] ?? null;
  const isSilent = said === null && profile.mayBeSilent === true;
  return isSilent || isEmptyOrObjects(said) ? answer : { kind: 'unreadable', usage };
}

function isEmptyOrObjects(said: Json): boolean {
  return Array.isArray(said) && asObjects(said).length === said.length;
}

function findMembers(bytes: Buffer): ObjectSpan | undefined {
  try {
    return scanTopLevel(bytes);
  } catch {
    // What went wrong with an upstream's bytes does not matter: they are no answer.
    return undefined;
  }
}

function readMembers(bytes: Buffer, reads: ReadonlySet<string>): JsonObject | undefined {
  const span = findMembers(bytes);
  if (span === undefined) return undefined;
  const json: JsonObject = {};
  for (const { key, valueStart, end } of span.members) {
    const isRead = reads.has(key);
    const value = isRead ? parseJson(bytes.toString('utf8', valueStart, end)) : standInFor(bytes, valueStart);
    if (value === undefined) return undefined;
    if (isRead || value !== null) json[key] = value;
  }
  return json;
}

/** For a value that is not looked into: a list that has entries or none, nothing, or something else. */
function standInFor(bytes: Buffer, at: number): Json {
  if (bytes[at] === openBracket) return bytes[skipSpace(bytes, at + 1)] === closeBracket ? [] : [{}];
  return bytes.toString('latin1', at, at + 4) === 'null' ? null : 'present';
}

/** True for an answer that can be delivered. */
export function isNativeAnswer(answer: NativeAnswer | UnusableAnswer): answer is NativeAnswer {
  return answer instanceof NativeAnswer;
}
