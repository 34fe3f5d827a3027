/** DashScope's tasks and sessions: whatever frames and answers come, in whatever order, none of them breaks the one who listens. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallReply, CallSteps } from '../../../../daemon/relay/call-format.ts';
import type { SpeechAnswer } from '../../../../daemon/relay/canonical/speech.ts';
import type { TranscriptionAnswer } from '../../../../daemon/relay/canonical/transcription.ts';
import { dashscopeRecognition } from '../../../../daemon/relay/formats/dashscope-recognition/index.ts';
import { dashscopeRecordings } from '../../../../daemon/relay/formats/dashscope-recordings/index.ts';
import { joined, transcriptOf } from '../../../../daemon/relay/formats/dashscope-sentences.ts';
import { dashscopeSpeechSession } from '../../../../daemon/relay/formats/dashscope-speech-session/index.ts';
import { dashscopeSpeechSocket } from '../../../../daemon/relay/formats/dashscope-speech-socket/index.ts';
import { dashscopeTranscriptionSession } from '../../../../daemon/relay/formats/dashscope-transcription-session/index.ts';
import { isObject, type Json, type JsonObject } from '../../../../daemon/relay/json.ts';
import { testScope } from '../../../conformance/scope.ts';
import * as sounds from '../../../support/sound-files.ts';

const test = suite('DashScope’s tasks');

const audio = { mediaType: 'audio/wav', data: sounds.wav(1).toString('base64') };
const heard = { audio, task: 'transcribe', form: 'json', wordTimes: true, unsaid: [] } as const;

function speaking(): CallSteps<SpeechAnswer> {
  return dashscopeSpeechSocket.open({ model: 'cosyvoice-v2', input: 'hi', unsaid: [] }, testScope());
}

function listening(): CallSteps<TranscriptionAnswer> {
  return dashscopeRecognition.open({ model: 'fun-asr-realtime', ...heard }, testScope());
}

function speakingInSession(): CallSteps<SpeechAnswer> {
  return dashscopeSpeechSession.open(
    { model: 'qwen3-tts-flash-realtime', input: 'hi', form: 'wav', unsaid: [] },
    testScope(),
  );
}

function listeningInSession(): CallSteps<TranscriptionAnswer> {
  return dashscopeTranscriptionSession.open({ model: 'qwen3-asr-flash-realtime', ...heard }, testScope());
}

function recording(): CallSteps<TranscriptionAnswer> {
  return dashscopeRecordings.open({ model: 'paraformer-v2', ...heard }, testScope());
}

const event = (name: string, payload: JsonObject = {}, header: JsonObject = {}): JsonObject => ({
  header: { event: name, task_id: 'x', attributes: {}, ...header },
  payload,
});
const word = { begin_time: 1, end_time: 2, text: 'a', punctuation: ',' };
const sentence = { begin_time: 1, end_time: 9, text: 'a', sentence_end: true, words: [word] };
const frames: readonly JsonObject[] = [
  event('task-started'),
  event('result-generated', { output: { sentence }, usage: { characters: 3, duration: 2 } }),
  event('result-generated', { output: { transcription: sentence, translations: [{ ...sentence, lang: 'en' }] } }),
  event('task-failed', {}, { error_code: 'InvalidParameter', error_message: 'no' }),
  event('task-finished', { usage: { characters: 4 } }),
];
const response = { status: 'completed', usage: { characters: 3 } };
const sessionFrames: readonly JsonObject[] = [
  { type: 'session.updated', session: {} },
  { type: 'response.audio.delta', delta: 'AAAA' },
  { type: 'response.done', response },
  { type: 'response.done', response: { status: 'failed', status_details: { error: { code: 'X', message: 'm' } } } },
  { type: 'input_audio_buffer.speech_started', item_id: 'i', audio_start_ms: 1 },
  { type: 'input_audio_buffer.speech_stopped', item_id: 'i', audio_end_ms: 9 },
  {
    type: 'conversation.item.input_audio_transcription.completed',
    item_id: 'i',
    transcript: 'a',
    language: 'en',
    usage: { duration: 2 },
  },
  { type: 'error', error: { type: 'x', code: 'InvalidParameter', message: 'no' } },
  { type: 'session.finished' },
];
const place = { upload_host: 'https://h.example', upload_dir: 'd', max_file_size_mb: 9, policy: 'p', signature: 's' };
const answers: readonly JsonObject[] = [
  { data: place },
  {},
  { output: { task_id: 't', task_status: 'RUNNING' } },
  { output: { task_id: 't', task_status: 'FAILED', results: [{ code: 'X', message: 'm' }] }, usage: { duration: 3 } },
  { output: { task_id: 't', task_status: 'SUCCEEDED', result: { transcription_url: 'https://h.example' } } },
];

/** The value with every part replaced by others of the wrong type, one at a time. */
function* broken(value: Json): Generator<Json> {
  for (const wrong of [null, 7, -1.5, 'x', '', [], {}, true]) yield wrong;
  if (Array.isArray(value)) {
    for (const [at, entry] of value.entries()) for (const bad of broken(entry)) yield value.with(at, bad);
  } else if (isObject(value)) {
    for (const [name, entry] of Object.entries(value)) for (const bad of broken(entry)) yield { ...value, [name]: bad };
  }
}

const reply = (body: Json | string): CallReply => ({
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  contentType: 'application/json',
  headers: {},
});

const talks: Readonly<Record<string, readonly [open: () => CallSteps<object>, frames: readonly JsonObject[]]>> = {
  speaking: [speaking, frames],
  listening: [listening, frames],
  'speaking in a session': [speakingInSession, sessionFrames],
  'listening in a session': [listeningInSession, sessionFrames],
};

for (const [name, [open, known]] of Object.entries(talks)) {
  test(`whoever is ${name} takes any frame at any time`, () => {
    const texts = ['', '{', 'null', '[]', '<html>'].map((text) => Buffer.from(text));
    for (const before of [[], known.slice(0, 1), known.slice(0, 2)]) {
      const wrong = known.flatMap((frame) => [...broken(frame)].map((bad) => Buffer.from(JSON.stringify(bad))));
      for (const frame of [...texts, ...wrong]) {
        for (const kind of ['text', 'binary'] as const) {
          const steps = open();
          const { talk } = steps.request;
          for (const earlier of before) talk?.hear(Buffer.from(JSON.stringify(earlier)), 'text');
          const told = talk?.hear(frame, kind);
          for (const said of told?.say ?? []) assert.ok(said.length > 0);
          steps.read(reply(told?.tell?.toString() ?? ''));
          assert.ok((steps.live?.usage().prompt ?? 1) > 0);
        }
      }
    }
  });
}

test('whoever waits for a recording takes any answer at any step', () => {
  for (const [at, answer] of answers.entries()) {
    for (const bad of [...broken(answer), '', '{', '<Error/>']) {
      const steps = recording();
      for (const known of answers.slice(0, at)) steps.read(reply(known));
      const verdict = steps.read(reply(bad));
      if (!('address' in verdict) || !('read' in verdict)) continue;
      for (const file of ['', '{', '[]', '{"transcripts":{}}']) assert.is(verdict.read(Buffer.from(file)), undefined);
      for (const transcripts of broken([{ text: 'a', sentences: [sentence] }])) {
        verdict.read(Buffer.from(JSON.stringify({ transcripts })));
      }
    }
  }
});

test('a task is looked after less and less often', () => {
  const steps = recording();
  steps.read(reply({ data: place }));
  steps.read(reply(''));
  const waits = Array.from({ length: 60 }, () => {
    const verdict = steps.read(reply({ output: { task_id: 't', task_status: 'RUNNING' } }));
    return 'afterMs' in verdict ? verdict.afterMs : Number.NaN;
  });
  assert.equal([waits[0], waits[1], waits.at(-1)], [1000, 1100, 5000]);
});

test('times that make no sense do not run backwards', () => {
  const { segments } = transcriptOf([{ text: 'a', begin_time: 900, end_time: null }]);
  assert.equal(segments, [{ text: 'a', start: 0.9, end: 0.9 }]);
});

test('sentences are joined as their script is written', () => {
  const joins: readonly (readonly [string, string, string])[] = [
    ['', 'Hello.', 'Hello.'],
    ['Hello.', 'Bye.', 'Hello. Bye.'],
    ['Hello. ', 'Bye.', 'Hello. Bye.'],
    ['你好。', '再见。', '你好。再见。'],
    ['你好', 'Bob', '你好Bob'],
    ['Привет.', 'Пока.', 'Привет. Пока.'],
  ];
  for (const [before, after, whole] of joins) assert.is(joined([before, after]), whole);
});

test.run();
