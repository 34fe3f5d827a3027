/**
 * The canonical answer as a whole generateContent answer.
 */
import { argumentsObject } from '../../canonical/arguments.ts';
import type {
  Annotation,
  ChatChoice,
  ChatRequest,
  ChatResponse,
  ContentPart,
  Finish,
  OutputItem,
  Seal,
  TokenLogprob,
  ToolCallItem,
} from '../../canonical/chat.ts';
import { wrapSeal } from '../../canonical/seal.ts';
import { ToolNames } from '../../canonical/tool-names.ts';
import type { Scope } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { functionInput } from '../client-tools.ts';
import { asObject, some } from '../fields.ts';
import { typeOfAudioFormat } from '../media.ts';
import { toolRunOf } from './tool-runs.ts';
import { encodeGeminiUsage } from './usage.ts';
import { finishWords } from './wire.ts';

export function encodeResponse(response: ChatResponse, request: ChatRequest, scope: Scope): Json {
  const names = new ToolNames(request.tools);
  const body: JsonObject = {
    candidates: response.choices.map((choice) => encodeChoice(choice, names, request)),
    modelVersion: scope.model,
    responseId: response.id ?? scope.newId('resp_'),
  };
  if (response.usage !== undefined) body.usageMetadata = encodeGeminiUsage(response.usage);
  return body;
}

function encodeChoice(choice: ChatChoice, names: ToolNames, request: ChatRequest): JsonObject {
  const parts = choice.items.flatMap((item) => encodeItem(item, names, request));
  const annotations = choice.items.flatMap((item) =>
    item.type === 'assistant'
      ? item.parts.flatMap((part) => (part.type === 'text' ? (part.annotations ?? []) : []))
      : [],
  );
  const candidate: JsonObject = {
    content: { role: 'model', parts },
    finishReason: encodeFinish(choice.finish, refuses(choice) ? 'refusal' : 'answer'),
    index: choice.index,
  };
  const grounding = encodeGrounding(annotations);
  if (grounding !== undefined) candidate.groundingMetadata = grounding;
  if (choice.logprobs !== undefined) candidate.logprobsResult = encodeLogprobs(choice.logprobs);
  return candidate;
}

function refuses({ items }: ChatChoice): boolean {
  return items.some((item) => item.type === 'assistant' && item.parts.some((part) => part.type === 'refusal'));
}

/**
 * A word of this dialect that stands for the same reason is kept: there are many for a filter. A refusal in the model's
 * own words has no part of its own here, so the ending says that it is one.
 */
export function encodeFinish(finish: Finish, spoken: 'answer' | 'refusal'): string {
  const { raw, reason } = finish;
  if (reason === 'stop' && spoken === 'refusal') return finishWords.refusal;
  const isOwn = raw?.dialect === 'gemini-generate' && /[A-Z]/.test(raw.word) && reason !== 'tool-calls';
  return isOwn ? raw.word : finishWords[reason];
}

function encodeItem(item: OutputItem, names: ToolNames, request: ChatRequest): JsonObject[] {
  switch (item.type) {
    case 'reasoning': {
      const run = toolRunOf(item.seal);
      if (run !== undefined) return [run];
      const text = item.texts.join('\n\n');
      return text === '' && item.seal === undefined ? [] : [signed({ text, thought: true }, item.seal)];
    }
    case 'tool-call':
      return [encodeCall(item, names)];
    case 'assistant':
      return item.parts.flatMap((part) => some(encodePart(part, request)));
    case 'hosted': {
      if (item.dialect === 'gemini-generate') return some(asObject(item.raw));
      return item.text === undefined ? [] : [{ text: item.text }];
    }
  }
}

export function encodeCall(item: Omit<ToolCallItem, 'type'>, names: ToolNames): JsonObject {
  const part: JsonObject = {
    functionCall: {
      id: item.callId,
      name: names.find(item.name).name,
      args: argumentsObject(functionInput(item.kind, item.input)),
    },
  };
  return signed(part, item.seal);
}

/** The part with its signature, wrapped where it is another vendor's. */
export function signed(part: JsonObject, seal: Seal | undefined): JsonObject {
  return seal === undefined ? part : { ...part, thoughtSignature: wrapSeal(seal, 'gemini-generate') };
}

function encodePart(part: ContentPart, request: ChatRequest): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      return signed({ text: part.text }, part.seal);
    case 'refusal':
      return { text: part.text };
    case 'image':
    case 'audio': {
      const { source } = part;
      if (source.kind === 'file-id') return undefined;
      if (source.kind === 'url') return { text: `![image](${source.url})` };
      const mimeType = part.type === 'audio' ? soundType(source.mediaType, request) : source.mediaType;
      return signed({ inlineData: { mimeType, data: source.data } }, part.type === 'image' ? part.seal : undefined);
    }
    default:
      return undefined;
  }
}

/** The type of a sound that its vendor left unsaid: that of the container that the request asked for, else bare samples. */
export function soundType(mediaType: string | undefined, { audio }: ChatRequest): string {
  if (mediaType !== undefined && mediaType !== 'application/octet-stream') return mediaType;
  const format = audio?.format ?? 'pcm16';
  return format === 'pcm16' ? 'audio/L16;codec=pcm;rate=24000' : typeOfAudioFormat(format);
}

/** This dialect's own object as it came, or the pages that other vendors cited. */
export function encodeGrounding(annotations: readonly Annotation[]): JsonObject | undefined {
  for (const annotation of annotations) {
    if (annotation.raw?.dialect === 'gemini-generate') return asObject(annotation.raw.value);
  }
  const pages = annotations.flatMap((annotation) =>
    annotation.kind === 'url' ? [{ web: { uri: annotation.url, title: annotation.title ?? '' } }] : [],
  );
  return pages.length === 0 ? undefined : { groundingChunks: pages };
}

export function encodeLogprobs(tokens: readonly TokenLogprob[]): JsonObject {
  return {
    chosenCandidates: tokens.map(({ token, logprob }) => ({ token, logProbability: logprob })),
    topCandidates: tokens.map((entry) => ({
      candidates: entry.top.map(({ token, logprob }) => ({ token, logProbability: logprob })),
    })),
  };
}
