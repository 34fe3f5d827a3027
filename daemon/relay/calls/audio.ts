/** How answers with sound, and transcripts of it, are read where client and upstream speak the same. */
import { isUtf8 } from 'node:buffer';
import type { AudioFacts } from '../audio/length.ts';
import type { CallAnswer } from '../call-format.ts';
import type { Usage } from '../canonical/usage.ts';
import { asObjects, asWord } from '../formats/fields.ts';
import { heardIn, usageOfSpeech } from '../formats/openai-speech/index.ts';
import { plainTranscript, textType } from '../formats/openai-transcription/subtitles.ts';
import { readTranscriptUsage, usageOfSeconds } from '../formats/openai-transcription/usage.ts';
import type { JsonObject } from '../json.ts';
import type { UnusableAnswer } from '../native-answer.ts';
import { isChatError } from '../native-profile-chat.ts';
import { membersOf, type NativeCallReader } from './reader.ts';

/** Usage of a transcript that the upstream reports nothing about: by the length of the file. */
export function usageOfFile(audio: AudioFacts): Usage {
  return usageOfSeconds(audio.seconds, audio.estimated ? 'estimated' : 'upstream');
}

function isJson(contentType: string): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\b/i.test(contentType);
}

/** Speech as one body: sound, or an error where sound was due. */
export const readSpeech: NativeCallReader = (body, contentType, { json, scope }) => {
  if (isJson(contentType)) return refusalIn(membersOf(body));
  if (body.length === 0) return { kind: 'empty' };
  if (isText(body)) return refusalIn(membersOf(body));
  const audio = heardIn(body, json, contentType);
  return { body, contentType, usage: usageOfSpeech(json, audio, scope.promptTokens ?? 0), audio };
};

/** A page or a message: no sound is free of other bytes, whatever type its server gives it. */
function isText(body: Buffer): boolean {
  return isUtf8(body) && !/[^\P{Cc}\s]/u.test(body.toString('utf8', 0, LOOKED_AT_BYTES));
}

const LOOKED_AT_BYTES = 4096;

function refusalIn(members: JsonObject | undefined): UnusableAnswer {
  return members !== undefined && isChatError(members) ? { kind: 'error', body: members } : { kind: 'unreadable' };
}

/** A transcript in JSON as the text that was asked for; undefined where JSON was. */
function plainOf({ text, segments }: JsonObject, form: string | undefined, seconds = 0) {
  if (typeof text !== 'string') return undefined;
  const told = asObjects(segments);
  const timed = told.flatMap(({ text: said, start, end }) => {
    return typeof said === 'string' && typeof start === 'number' && typeof end === 'number'
      ? [{ text: said, start, end }]
      : [];
  });
  return plainTranscript(form, { text, segments: timed.length === told.length ? timed : [] }, seconds);
}

/** What a host in the upstream's place answers everything with, and nobody said. Some call plain words a page. */
function isPage(body: Buffer): boolean {
  return /^\s*<(?:!doctype|html)\b/i.test(body.toString('latin1', 0, 200));
}

/** A transcript in any of its forms; a silent file has an empty one. */
export const readTranscript: NativeCallReader = (body, contentType, { json, audio }) => {
  const counted = audio && usageOfFile(audio);
  const form = asWord(json.response_format);
  if (isJson(contentType)) {
    const members = membersOf(body);
    if (members === undefined) return { kind: 'unreadable' };
    if (isChatError(members) && members.text === undefined) return { kind: 'error', body: members };
    if (Object.keys(members).length === 0) return { kind: 'empty' };
    const usage = readTranscriptUsage(members.usage) ?? counted;
    // Some vendors answer with JSON whatever form is asked for (Cohere, SiliconFlow). Events are made of JSON.
    const plain = json.stream === true ? undefined : plainOf(members, form, audio?.seconds);
    return { ...(plain ?? { body, contentType: 'application/json' }), usage, audio };
  }
  if (isPage(body)) return { kind: 'unreadable' };
  const answer: CallAnswer = { body, contentType: textType(form), usage: counted, audio };
  return body.length === 0 ? { kind: 'empty' } : answer;
};
