/** MiniMax. Source: providers/minimax.md, read 2026-11. */
import { openaiCompatible } from '../openai-compatible.ts';
import { fitMiniMax } from './quirks.ts';

export const minimax = openaiCompatible({
  id: 'minimax',
  owner: 'minimax',
  label: { en: 'MiniMax', zh: 'MiniMax' },
  channelType: 35,
  // Keys of the international site need https://api.minimax.io.
  baseUrl: 'https://api.minimaxi.com',
  speaks: {
    chat: ['openai-chat', 'anthropic-messages', 'openai-responses'],
    embeddings: ['minimax-embeddings'],
    images: ['minimax-images'],
    'image-edits': ['minimax-images'],
  },
  paths: {
    'anthropic-messages': '/anthropic/v1/messages',
    'minimax-embeddings': '/v1/embeddings',
    'minimax-images': '/v1/image_generation',
  },
  keyParts: [undefined, 'group'],
  auth: () => ({ kind: 'bearer', parts: [0] }),
  traits: { replayReasoning: true },
  failures: [
    { code: ['1004', '2049'], means: 'bad-key' },
    { code: '1008', means: 'no-credit' },
    { code: ['1002', '1039', '1041', '2045', '2056'], means: 'rate-limit' },
    { code: ['1000', '1001', '1013', '1024', '1033'], means: 'overload' },
    { code: ['1026', '1027', '1042'], means: 'bad-request' },
    { code: '2013', text: /unknown model|not support model/i, means: 'no-model' },
    { code: '2013', means: 'bad-request' },
    { code: '2061', means: 'no-model' },
  ],
  amend: fitMiniMax,
  models: [
    'MiniMax-M3.1-Flash-Preview',
    'MiniMax-M3',
    'MiniMax-M2.7',
    'MiniMax-M2.7-highspeed',
    'MiniMax-M2.5',
    'MiniMax-M2.5-highspeed',
    'MiniMax-M2.1',
    'MiniMax-M2.1-highspeed',
    'MiniMax-M2',
    'M2-her',
    'MiniMax-M1',
    'MiniMax-Text-01',
    'MiniMax-VL-01',
    'abab6.5s-chat',
    'abab6.5-chat',
    'abab6.5t-chat',
    'abab6-chat',
    'abab5.5-chat',
    'abab5.5s-chat',
  ],
});
