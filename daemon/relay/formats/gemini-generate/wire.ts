/**
 * Words of the Gemini generateContent wire. Source: the vendor's API reference, read 2026-08.
 */
import type { FinishReason } from '../../canonical/chat.ts';
import { isObject, type Json, type JsonObject } from '../../json.ts';
import { asObject, asObjects, asWord, invalid, onlyObjects } from '../fields.ts';

/** `finishReason` words; the numbers are those of the vendor's protocol buffers, which some hosts send. */
export const finishReasons: Readonly<Record<string, FinishReason>> = {
  STOP: 'stop',
  '1': 'stop',
  MAX_TOKENS: 'length',
  '2': 'length',
  SAFETY: 'content-filter',
  '3': 'content-filter',
  RECITATION: 'content-filter',
  '4': 'content-filter',
  LANGUAGE: 'content-filter',
  BLOCKLIST: 'content-filter',
  PROHIBITED_CONTENT: 'content-filter',
  SPII: 'content-filter',
  IMAGE_SAFETY: 'content-filter',
  IMAGE_PROHIBITED_CONTENT: 'content-filter',
  IMAGE_RECITATION: 'content-filter',
  OTHER: 'content-filter',
  MALFORMED_FUNCTION_CALL: 'malformed-call',
  UNEXPECTED_TOOL_CALL: 'malformed-call',
  TOO_MANY_TOOL_CALLS: 'malformed-call',
  // An image that could not be made is no answer either.
  NO_IMAGE: 'malformed-call',
  IMAGE_OTHER: 'malformed-call',
};

/** The word with which a filter took what a candidate would have said; undefined where none did. */
export function filteredBy(body: JsonObject): string | undefined {
  const words = asObjects(body.candidates).map(({ finishReason }) => asWord(finishReason));
  // The last is for reasons that the vendor does not tell.
  return words.find((word) => word !== undefined && word !== 'OTHER' && finishReasons[word] === 'content-filter');
}

export const finishWords: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  'stop-sequence': 'STOP',
  length: 'MAX_TOKENS',
  'context-window': 'MAX_TOKENS',
  'tool-calls': 'STOP',
  'content-filter': 'SAFETY',
  refusal: 'SAFETY',
  pause: 'STOP',
  'malformed-call': 'MALFORMED_FUNCTION_CALL',
  other: 'OTHER',
};

/** Top-level request fields that the canonical shape has a place for, in camel case. */
export const knownFields: ReadonlySet<string> = new Set([
  'model',
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
  'cachedContent',
  // Not of this wire: the gateway says here what the path said.
  'stream',
]);

/** Members of `generationConfig` that the canonical shape has a place for. */
export const knownConfig: ReadonlySet<string> = new Set([
  'temperature',
  'topP',
  'topK',
  'maxOutputTokens',
  'candidateCount',
  'stopSequences',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'responseModalities',
  'speechConfig',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'responseLogprobs',
  'logprobs',
  'thinkingConfig',
]);

/** Members of `toolConfig.functionCallingConfig` likewise. */
export const knownCalling: ReadonlySet<string> = new Set(['mode', 'allowedFunctionNames']);

/** Members of a result likewise. */
export const knownResultFields: ReadonlySet<string> = new Set(['id', 'name', 'response', 'parts']);

/** Members of any part, and of media, that no other dialect knows. */
export const ownPartMembers = ['partMetadata'] as const;
export const ownMediaMembers = [...ownPartMembers, 'mediaResolution', 'mediaProcessing', 'speechMetadata'] as const;

/** Members of a function declaration likewise. */
export const knownFunctionFields: ReadonlySet<string> = new Set([
  'name',
  'description',
  'parameters',
  'parametersJsonSchema',
]);

/** Built-in tools that chat clients ask for by a function of that name (relay.md 13.4). */
export const builtInTools: ReadonlySet<string> = new Set(['googleSearch', 'codeExecution', 'urlContext']);

/** Stands for a lost signature. Source: the vendor's page on thought signatures, read 2026-08. */
export const missingSignature = 'skip_thought_signature_validator';

/** As `partsIn`, of a content whose every part counts: refuses one that is no object by its path. */
export function everyPartIn(content: Json | undefined, path: string): JsonObject[] {
  const holder = asObject(content);
  if (holder === undefined) throw invalid(path, 'must be an object');
  const { parts = null } = holder;
  if (isObject(parts)) return [parts];
  // A turn without parts says nothing. Words in their place would be lost in silence; the vendor refuses them, too.
  if (parts !== null && !Array.isArray(parts)) throw invalid(`${path}.parts`, 'must be an array of objects');
  return [...onlyObjects(parts, `${path}.parts`)];
}

/** Parts of a content: a list, or the only one by itself, as examples of the vendor's write it. */
export function partsIn(content: Json | undefined): JsonObject[] {
  const { parts } = asObject(content) ?? {};
  return isObject(parts) ? [parts] : [...asObjects(parts)];
}

/**
 * The object with the keys of its own level in camel case: this wire takes both spellings. Values stay as they are,
 * because arguments and schemas hold names of the client's. The object itself where nothing is spelt otherwise.
 */
export function camelKeys(value: Json | undefined): JsonObject {
  if (!isObject(value)) return {};
  if (!hasUnderscore(value)) return value;
  const camel: JsonObject = {};
  for (const key in value) {
    const member = value[key];
    if (member !== undefined) camel[key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())] = member;
  }
  return camel;
}

function hasUnderscore(value: JsonObject): boolean {
  for (const key in value) if (key.includes('_')) return true;
  return false;
}
