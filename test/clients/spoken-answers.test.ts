/**
 * Answers that are heard, asked for in one dialect and given in another (relay.md 13.4).
 * Runs once: what a client sends and reads is the same on every database.
 */
import { GoogleGenAI } from '@google/genai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ClientWorld, models, openAiOf, startClientWorld, stopClientWorld } from '../support/client-world.ts';
import { jsonAnswer } from '../support/fake-upstream.ts';
import { bodyOf } from '../support/speaking-upstream.ts';

const test = suite<ClientWorld>('Spoken answers');

const samples = Buffer.from([1, 0, 2, 0, 3, 0]);
const plain = 'audio/L16;codec=pcm;rate=24000';

test.before(async (world) => {
  Object.assign(world, await startClientWorld());
});
test.after(stopClientWorld);

async function hearThroughGoogle({ daemon, key, upstream }: ClientWorld, config: object) {
  const sound = { id: 'audio_1', data: samples.toString('base64'), transcript: 'hello', expires_at: 1 };
  const message = { role: 'assistant', content: null, audio: sound };
  upstream.script(jsonAnswer({ id: 'c', choices: [{ index: 0, message, finish_reason: 'stop' }] }));
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: daemon.url } });
  const answer = await client.models.generateContent({ model: models.chat, contents: 'say hello', config });
  const { modalities, audio } = bodyOf(upstream.requests.at(-1));
  return { sent: { modalities, audio }, inlineData: answer.candidates?.[0]?.content?.parts?.[0]?.inlineData };
}

test('sound that a Gemini client asks for is asked of a chat upstream with all that it requires', async (world) => {
  const { sent, inlineData } = await hearThroughGoogle(world, { responseModalities: ['AUDIO'] });
  assert.equal(sent, { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'pcm16' } });
  assert.equal(inlineData, { mimeType: plain, data: samples.toString('base64') });
});

test('a voice that a Gemini client names speaks before a chat upstream too, and only where there is sound', async (world) => {
  const speechConfig = { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'verse' } } };
  const { sent } = await hearThroughGoogle(world, { responseModalities: ['AUDIO'], speechConfig });
  assert.equal(sent.audio, { voice: 'verse', format: 'pcm16' });
  const { sent: silent } = await hearThroughGoogle(world, { speechConfig });
  assert.equal(silent, { modalities: undefined, audio: undefined });
});

test('bare samples in several parts come as one sound, in a file where a chat client asked for one', async (world) => {
  const pieces = [samples.subarray(0, 2), samples.subarray(2)].map((bytes) => bytes.toString('base64'));
  const content = { role: 'model', parts: pieces.map((data) => ({ inlineData: { mimeType: plain, data } })) };
  world.upstream.script(jsonAnswer({ candidates: [{ content, finishReason: 'STOP', index: 0 }] }));
  const heard = async (format: 'wav' | 'pcm16' | 'mp3') => {
    const { choices } = await openAiOf(world).chat.completions.create({
      model: models.gemini,
      messages: [{ role: 'user', content: 'say hello' }],
      modalities: ['audio'],
      audio: { voice: 'Kore', format },
    });
    return Buffer.from(choices[0]?.message.audio?.data ?? '', 'base64');
  };
  assert.equal(await heard('pcm16'), samples);
  const file = await heard('wav');
  assert.equal([file.toString('latin1', 0, 4), file.toString('latin1', 8, 12)], ['RIFF', 'WAVE']);
  assert.is(file.readUInt32LE(24), 24_000);
  assert.equal(file.subarray(44), samples);
  assert.equal(await heard('mp3'), file);
});

test.run();
