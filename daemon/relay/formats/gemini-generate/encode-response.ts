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
  TokenLogprob,
  ToolCallItem,
} from '../../canonical/chat.ts';
import { wrapSeal } from '../../canonical/seal.ts';
import { ToolNames } from '../../canonical/tool-names.ts';
import type { Scope } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { functionInput } from '../client-tools.ts';
import { asObject, some } from '../fields.ts';
import { encodeGeminiUsage } from './usage.ts';
import { finishWords } from './wire.ts';

export function encodeResponse(response: ChatResponse, request: ChatRequest, scope: Scope): Json {
  const names = new ToolNames(request.tools);
  const body: JsonObject = {
    candidates: response.choices.map((choice) => encodeChoice(choice, names)),
    modelVersion: scope.model,
    responseId: response.id ?? scope.newId('resp_'),
  };
  if (response.usage !== undefined) body.usageMetadata = encodeGeminiUsage(response.usage);
  return body;
}

function encodeChoice(choice: ChatChoice, names: ToolNames): JsonObject {
  const parts = choice.items.flatMap((item) => encodeItem(item, names));
  const annotations = choice.items.flatMap((item) =>
    item.type === 'assistant'
      ? item.parts.flatMap((part) => (part.type === 'text' ? (part.annotations ?? []) : []))
      : [],
  );
  const candidate: JsonObject = {
    content: { role: 'model', parts },
    finishReason: encodeFinish(choice.finish),
    index: choice.index,
  };
  const grounding = encodeGrounding(annotations);
  if (grounding !== undefined) candidate.groundingMetadata = grounding;
  if (choice.logprobs !== undefined) candidate.logprobsResult = encodeLogprobs(choice.logprobs);
  return candidate;
}

/** A word of this dialect that stands for the same reason is kept: there are many for a filter. */
export function encodeFinish(finish: Finish): string {
  const { raw, reason } = finish;
  const isOwn = raw?.dialect === 'gemini-generate' && /[A-Z]/.test(raw.word) && reason !== 'tool-calls';
  return isOwn ? raw.word : finishWords[reason];
}

function encodeItem(item: OutputItem, names: ToolNames): JsonObject[] {
  switch (item.type) {
    case 'reasoning': {
      const part: JsonObject = { text: item.texts.join('\n\n'), thought: true };
      if (item.seal !== undefined) part.thoughtSignature = wrapSeal(item.seal, 'gemini-generate');
      return part.text === '' && item.seal === undefined ? [] : [part];
    }
    case 'tool-call':
      return [encodeCall(item, names)];
    case 'assistant':
      return item.parts.flatMap((part) => some(encodePart(part)));
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
  if (item.seal !== undefined) part.thoughtSignature = wrapSeal(item.seal, 'gemini-generate');
  return part;
}

function encodePart(part: ContentPart): JsonObject | undefined {
  switch (part.type) {
    case 'text': {
      const encoded: JsonObject = { text: part.text };
      if (part.seal !== undefined) encoded.thoughtSignature = wrapSeal(part.seal, 'gemini-generate');
      return encoded;
    }
    case 'refusal':
      return { text: part.text };
    case 'image':
    case 'audio': {
      const { source } = part;
      if (source.kind === 'file-id') return undefined;
      if (source.kind === 'url') return { text: `![image](${source.url})` };
      return { inlineData: { mimeType: source.mediaType, data: source.data } };
    }
    default:
      return undefined;
  }
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
