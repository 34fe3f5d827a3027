/** Every sound model of DashScope's goes to the one interface that it has. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { soundFormatOf } from '../../../../../daemon/relay/providers/ali/sound-models.ts';

const test = suite('sound models of DashScope');

/** Names from the vendor's list of models, read 2026-11. */
const models: Readonly<Record<string, readonly string[]>> = {
  'dashscope-speech': ['qwen3-tts-flash', 'qwen3-tts-instruct-flash-2026-01-26', 'qwen3-tts-vc-2026-01-22', 'qwen-tts'],
  'dashscope-speech-socket': [
    'cosyvoice-v1',
    'sambert-zhichu-v1',
    'cosyvoice-v3-flash',
    'cosyvoice-v3.5-plus',
    'qwen-audio-3.0-tts-plus',
    'qwen-audio-3.1-tts-flash',
  ],
  'dashscope-transcription': ['qwen3-asr-flash', 'qwen3-asr-flash-2026-02-10', 'fun-asr-flash-2026-06-15'],
  'dashscope-recordings': [
    'qwen3-asr-flash-filetrans',
    'qwen-audio-3.0-asr-flash-filetrans',
    'paraformer-v2',
    'paraformer-8k-v2',
    'fun-asr',
    'fun-asr-mtl',
    'fun-asr-2025-11-07',
    'sensevoice-v1',
  ],
  'dashscope-recognition': [
    'paraformer-realtime-v2',
    'paraformer-realtime-8k-v2',
    'fun-asr-realtime',
    'fun-asr-realtime-2025-11-07',
    'fun-asr-flash-8k-realtime',
    'gummy-realtime-v1',
    'gummy-chat-v1',
    'qwen-audio-3.1-asr-flash-message',
    'qwen-audio-3.0-asr-flash-streaming',
  ],
  'dashscope-speech-session': [
    'qwen3-tts-flash-realtime',
    'qwen3-tts-instruct-flash-realtime-2026-01-22',
    'qwen3-tts-vd-realtime-2026-01-15',
    'qwen-tts-realtime-latest',
  ],
  'dashscope-transcription-session': ['qwen3-asr-flash-realtime', 'qwen3-asr-flash-realtime-2025-10-27'],
  'openai-realtime': [
    'qwen3-omni-flash-realtime',
    'qwen3.5-omni-plus-realtime',
    'qwen-omni-turbo-realtime',
    'qwen3-livetranslate-flash-realtime',
    'qwen3.8-livetranslate-flash-realtime',
    'qwen3.8-omni-flash-realtime',
    'qwen-audio-3.0-realtime-plus',
    'qwen-audio-3.1-realtime-flash',
  ],
  none: ['qwen3-s2s-flash-realtime', 'qwen3-omni-flash', 'qwen3.8-max', 'text-embedding-v4', 'wan2.6-t2i'],
};

for (const [format, names] of Object.entries(models)) {
  test(`${format} is where these stand, and nothing else`, () => {
    for (const name of names) assert.is(soundFormatOf(name) ?? 'none', format, name);
  });
}

test.run();
