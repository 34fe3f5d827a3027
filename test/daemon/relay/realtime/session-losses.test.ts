/** What a realtime session was to be and the vendor was not told. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../../daemon/relay/json.ts';
import { glmRealtime } from '../../../../daemon/relay/providers/zhipu-v4/realtime.ts';

const test = suite('what realtime sessions lose');

function lostOf(manner: 'beta' | undefined, session: JsonObject): string[] {
  const lost: string[] = [];
  const dialect = glmRealtime({ model: 'glm-realtime', manner, lose: (member) => lost.push(member) });
  dialect.fromClient({ type: 'session.update', session });
  return lost;
}

test('is named as the client of each manner names it', () => {
  const turn_detection = { type: 'server_vad', silence_duration_ms: 300 };
  const transcription = { model: 'whisper-1', language: 'en' };
  assert.equal(
    lostOf('beta', { turn_detection, input_audio_transcription: transcription, tool_choice: 'none', voice: 'alloy' }),
    [
      'session.voice',
      'session.tool_choice',
      'session.input_audio_transcription.language',
      'session.turn_detection.silence_duration_ms',
    ],
  );
  assert.equal(lostOf(undefined, { type: 'realtime', prompt: { id: 'p' }, audio: { input: { transcription } } }), [
    'session.prompt',
    'session.audio.input.transcription.language',
  ]);
});

test('is nothing where all was told, or asked for what happens anyway', () => {
  const told = { instructions: 'be kind', modalities: ['text'], temperature: 0.5, max_response_output_tokens: 9 };
  const usual = { tool_choice: 'auto', speed: 1, tools: [], max_response_output_tokens: 'inf', prompt: null };
  assert.equal(lostOf('beta', told), []);
  assert.equal(lostOf('beta', { ...usual, turn_detection: { type: 'server_vad', create_response: true } }), []);
  assert.equal(lostOf('beta', { turn_detection: null, voice: 'tongtong' }), []);
});

test('is nothing where the client speaks the vendor’s own', () => {
  assert.equal(lostOf(undefined, { beta_fields: { chat_mode: 'audio' }, tool_choice: 'none' }), []);
});

test.run();
