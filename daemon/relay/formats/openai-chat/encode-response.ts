/**
 * The canonical answer as a whole chat completion (relay.md 5.3).
 */
import { fileOfSamples } from '../../audio/wav-file.ts';
import type {
  ChatChoice,
  ChatRequest,
  ChatResponse,
  ContentPart,
  TokenLogprob,
  ToolCallItem,
} from '../../canonical/chat.ts';
import { wrapSeal } from '../../canonical/seal.ts';
import { ToolNames } from '../../canonical/tool-names.ts';
import type { Scope } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { callFor } from '../client-tools.ts';
import { urlOfSource } from '../media.ts';
import { openAiTier } from '../service-tier.ts';
import { encodeExtras, standsBeside } from './answer-extras.ts';
import { encodeAnswerImage } from './answer-images.ts';
import { encodeAnnotation, encodeCall, thinkingBlock } from './encode-messages.ts';
import { encodeUsage } from './read-usage.ts';
import { encodeSearchResults, listsPages } from './search-results.ts';
import { thoughtSignature } from './thought-signature.ts';
import { finishWords } from './wire.ts';

/** What the choices of one answer are told by. */
interface Telling {
  readonly request: ChatRequest;
  readonly names: ToolNames;
  readonly scope: Scope;
}

export function encodeResponse(response: ChatResponse, request: ChatRequest, scope: Scope): Json {
  const telling = { request, names: new ToolNames(request.tools), scope };
  const body: JsonObject = {
    id: response.id ?? scope.newId('chatcmpl-'),
    object: 'chat.completion',
    created: response.created ?? scope.now(),
    model: scope.model,
    choices: response.choices.map((choice) => encodeChoice(choice, telling)),
  };
  if (response.usage !== undefined) body.usage = encodeUsage(response.usage);
  if (response.serviceTier !== undefined) body.service_tier = openAiTier(response.serviceTier);
  if (response.systemFingerprint !== undefined) body.system_fingerprint = response.systemFingerprint;
  const hosted = response.choices.flatMap((choice) => choice.items.filter((item) => item.type === 'hosted'));
  return { ...body, ...encodeSearchResults(hosted.filter(listsPages)), ...encodeExtras(hosted) };
}

function encodeChoice(choice: ChatChoice, telling: Telling): JsonObject {
  const isLegacy = telling.request.legacyFunctions === true;
  const word = choice.finish.reason === 'tool-calls' && isLegacy ? 'function_call' : finishWords[choice.finish.reason];
  return {
    index: choice.index,
    message: encodeMessage(choice, telling),
    logprobs: choice.logprobs === undefined ? null : encodeLogprobs(choice.logprobs),
    finish_reason: word,
  };
}

function encodeMessage(choice: ChatChoice, telling: Telling): JsonObject {
  const message: JsonObject = { role: 'assistant', content: null };
  const thoughts: string[] = [];
  const blocks: JsonObject[] = [];
  const calls: JsonObject[] = [];
  const parts: ContentPart[] = [];
  for (const item of choice.items) {
    if (item.type === 'assistant') for (const part of item.parts) parts.push(part);
    else if (item.type === 'hosted') {
      if (!standsBeside(item) && item.text !== undefined) parts.push({ type: 'text', text: item.text });
    } else if (item.type === 'tool-call') calls.push(encodeCallFor(item, telling.names));
    else if (item.type === 'reasoning') {
      if (item.texts.length > 0) thoughts.push(item.texts.join('\n\n'));
      if (item.seal !== undefined) blocks.push(thinkingBlock(item, wrapSeal(item.seal, 'anthropic-messages')));
    }
  }
  fillContent(message, parts, telling);
  if (message.content === null && calls.length === 0) message.content = '';
  if (thoughts.length > 0) message.reasoning_content = thoughts.join('');
  if (blocks.length > 0) message.thinking_blocks = blocks;
  const [first, second] = calls;
  if (first !== undefined && telling.request.legacyFunctions === true) {
    message.function_call = first.function ?? {};
    if (second !== undefined) telling.scope.lose('answer.tool_calls');
  } else if (calls.length > 0) message.tool_calls = calls;
  return message;
}

/** Named as the client's own tools are, which are in no group; an upstream names one where it looked a tool up. */
function encodeCallFor(item: ToolCallItem, names: ToolNames): JsonObject {
  const { namespace: _, ...call } = callFor(item, names);
  const input = call.input === '' && call.kind !== 'custom' ? '{}' : call.input;
  return encodeCall({ ...call, input }, true);
}

/**
 * Text joined without separator; images as Markdown, and beside it where the client asked for them. Signatures stand
 * with the image, else with the message, which has a place for the last one.
 */
function fillContent(message: JsonObject, parts: readonly ContentPart[], telling: Telling): void {
  const texts: string[] = [];
  const images: JsonObject[] = [];
  const annotations: JsonObject[] = [];
  const refusals: string[] = [];
  const sounds: Sound[] = [];
  const wantsImages = telling.request.modalities?.includes('image') === true;
  for (const part of parts) {
    if (part.type === 'text') {
      texts.push(part.text);
      for (const entry of part.annotations ?? []) {
        const annotation = encodeAnnotation(entry);
        if (annotation !== undefined) annotations.push(annotation);
      }
      if (part.seal !== undefined) message.extra_content = thoughtSignature(part.seal);
    } else if (part.type === 'refusal') refusals.push(part.text);
    else if (part.type === 'image') {
      const url = urlOfSource(part.source) ?? '';
      texts.push(`![image](${url})`);
      images.push(encodeAnswerImage(url, part.seal));
      if (part.seal !== undefined && !wantsImages) message.extra_content = thoughtSignature(part.seal);
    } else if (part.type === 'audio' && part.source.kind === 'inline') {
      sounds.push({ part, source: part.source });
    }
  }
  if (texts.length > 0) message.content = texts.join('');
  const audio = encodeSounds(sounds, telling);
  if (audio !== undefined) message.audio = audio;
  if (refusals.length > 0) message.refusal = refusals.join('');
  if (annotations.length > 0) message.annotations = annotations;
  if (images.length > 0 && wantsImages) message.images = images;
}

type AudioPart = Extract<ContentPart, { type: 'audio' }>;

interface Sound {
  readonly part: AudioPart;
  readonly source: Extract<AudioPart['source'], { kind: 'inline' }>;
}

/** There is place for one sound, which may have come in several parts. */
function encodeSounds(sounds: readonly Sound[], { request, scope }: Telling): JsonObject | undefined {
  const [first] = sounds;
  if (first === undefined) return undefined;
  return {
    id: first.part.id ?? scope.newId('audio_'),
    data: joined(sounds, request.audio?.format ?? 'pcm16'),
    transcript: sounds.map(({ part }) => part.transcript ?? '').join(''),
    // Sound of a vendor without ids is kept nowhere to be spoken of again.
    expires_at: first.part.expiresAt ?? scope.now(),
  };
}

/** In base64: as it came, or bare samples in a file where the client asked for one. */
function joined(sounds: readonly Sound[], format: string): string {
  const [{ source } = { source: undefined }, second] = sounds;
  if (source === undefined) return '';
  if (second === undefined && format === 'pcm16') return source.data;
  const bytes = Buffer.concat(sounds.map((sound) => Buffer.from(sound.source.data, 'base64')));
  const file = format === 'pcm16' ? undefined : fileOfSamples(bytes, source.mediaType ?? '');
  return (file ?? bytes).toString('base64');
}

export function encodeLogprobs(tokens: readonly TokenLogprob[]): JsonObject {
  return {
    content: tokens.map((entry) => ({
      token: entry.token,
      logprob: entry.logprob,
      bytes: entry.bytes === undefined ? null : [...entry.bytes],
      top_logprobs: entry.top.map((top) => ({
        token: top.token,
        logprob: top.logprob,
        bytes: top.bytes === undefined ? null : [...top.bytes],
      })),
    })),
    refusal: null,
  };
}
