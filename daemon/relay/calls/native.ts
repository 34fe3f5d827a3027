/**
 * How the answers of calls are read where client and upstream speak the same: bytes go on as they are, unless what the
 * client was promised is missing in them.
 */
import { emptyUsage } from '../canonical/usage.ts';
import type { Capability, FormatId } from '../format.ts';
import { asNumber } from '../formats/fields.ts';
import { findGeminiEmbeddingsUsage } from '../formats/gemini-embeddings/index.ts';
import { countPredictions } from '../formats/gemini-predict/index.ts';
import { passedImages } from '../formats/openai-images/index.ts';
import { usageOfImages } from '../formats/openai-images/usage.ts';
import { rerank } from '../formats/rerank/index.ts';
import { isChatError } from '../native-profile-chat.ts';
import { isGenerateError } from '../native-profile-generate.ts';
import { readSpeech, readTranscript } from './audio.ts';
import { membersOf, type NativeCallReader, passed } from './reader.ts';

const readRerank: NativeCallReader = (body, _, { json, scope }) => {
  const members = membersOf(body);
  if (members === undefined) return { kind: 'unreadable' };
  const asked = rerank.decodeRequest(json);
  const said = rerank.decodeAnswer(members, asked, scope);
  if (!('kind' in said)) return rerank.encodeAnswer(said, asked, scope);
  // Some servers say beside a ranking that all is well.
  return isChatError(members) ? { kind: 'error', body: members } : { kind: 'empty' };
};

const readGeminiEmbeddings: NativeCallReader = (body) => {
  const members = membersOf(body);
  if (members === undefined) return { kind: 'unreadable' };
  if (isGenerateError(members)) return { kind: 'error', body: members };
  if (members.embedding === undefined && members.embeddings === undefined) return { kind: 'empty' };
  return passed(body, { usage: findGeminiEmbeddingsUsage(members) });
};

const readImages: NativeCallReader = (body, _, { json }) => {
  const members = membersOf(body);
  if (members === undefined) return { kind: 'unreadable' };
  const answer = passedImages(body, members, json);
  if (answer !== undefined) return answer;
  return isChatError(members) ? { kind: 'error', body: members } : { kind: 'empty' };
};

const readPredictions: NativeCallReader = (body) => {
  const members = membersOf(body);
  if (members === undefined) return { kind: 'unreadable' };
  const count = countPredictions(members.predictions);
  if (count > 0) return passed(body, { usage: usageOfImages(undefined, count), image: { count } });
  return isGenerateError(members) ? { kind: 'error', body: members } : { kind: 'empty' };
};

/** Counting consumes nothing. */
function countReader(member: string): NativeCallReader {
  return (body) => {
    const members = membersOf(body);
    if (members === undefined) return { kind: 'unreadable' };
    if (asNumber(members[member]) !== undefined) return passed(body, { usage: emptyUsage() });
    return members.error === undefined ? { kind: 'unreadable' } : { kind: 'error', body: members };
  };
}

const counters: Partial<Record<FormatId, NativeCallReader>> = {
  'anthropic-messages': countReader('input_tokens'),
  'gemini-generate': countReader('totalTokens'),
};

const readers: Partial<Record<FormatId, NativeCallReader>> = {
  rerank: readRerank,
  'openai-images': readImages,
  'openai-image-edits': readImages,
  'openai-image-variations': readImages,
  'gemini-predict': readPredictions,
  'openai-speech': readSpeech,
  'openai-transcription': readTranscript,
  'openai-translation': readTranscript,
  'gemini-embeddings': readGeminiEmbeddings,
};

/** Undefined for what the native lane of texts reads itself. */
export function nativeCallReaderOf(capability: Capability, format: FormatId): NativeCallReader | undefined {
  return capability === 'count-tokens' ? counters[format] : readers[format];
}
