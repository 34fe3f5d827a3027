/** Where every vendor's surfaces stand, as the sheets under `providers/` say, and with which kind of key they are asked. */

import { cloudSurfaces } from './cloud-surfaces.ts';
import type { VendorSurfaces } from './usual-surfaces.ts';

export const vendorSurfaces: Readonly<Record<string, VendorSurfaces>> = {
  ...cloudSurfaces,
  openai: {
    usual:
      'chat responses compaction completions edits embeddings moderations images image-edits image-variations speech transcription translation',
    surfaces: {
      'realtime openai-realtime': '/v1/realtime?model=m-1',
    },
  },
  anthropic: {
    usual: 'messages',
    surfaces: {
      'count-tokens anthropic-messages': '/v1/messages/count_tokens',
    },
  },
  gemini: {
    models: { 'gemini-predict': 'imagen-4', '*': 'gemini-3' },
    surfaces: {
      'chat gemini-generate': [
        '/v1beta/models/gemini-3:generateContent',
        '/v1beta/models/gemini-3:streamGenerateContent?alt=sse',
      ],
      'count-tokens gemini-generate': '/v1beta/models/gemini-3:generateContent',
      'embeddings gemini-embeddings': '/v1beta/models/gemini-3:embedContent',
      'images gemini-images': '/v1beta/models/gemini-3:generateContent',
      'images gemini-predict': '/v1beta/models/imagen-4:predict',
      'speech gemini-speech': '/v1beta/models/gemini-3:generateContent',
      'image-edits gemini-images': '/v1beta/models/gemini-3:generateContent',
    },
  },
  ollama: {
    usual: 'chat completions',
    surfaces: {
      'chat ollama-chat': '/api/chat',
      'embeddings ollama-embeddings': '/api/embed',
    },
  },
  custom: {
    baseUrl: 'https://h.example/v1/chat/completions',
    surfaces: {
      'chat openai-chat': 'https://h.example/v1/chat/completions',
      'completions openai-completions': 'https://h.example/v1/chat/completions',
      'edits openai-edits': 'https://h.example/v1/chat/completions',
      'embeddings openai-embeddings': 'https://h.example/v1/chat/completions',
      'moderations openai-moderations': 'https://h.example/v1/chat/completions',
      'rerank rerank': 'https://h.example/v1/chat/completions',
      'images openai-images': 'https://h.example/v1/chat/completions',
      'image-edits openai-image-edits': 'https://h.example/v1/chat/completions',
      'image-variations openai-image-variations': 'https://h.example/v1/chat/completions',
      'speech openai-speech': 'https://h.example/v1/chat/completions',
      'transcription openai-transcription': 'https://h.example/v1/chat/completions',
      'translation openai-translation': 'https://h.example/v1/chat/completions',
    },
  },
  openrouter: {
    usual: 'chat responses messages completions embeddings rerank speech transcription',
    surfaces: {
      'images openrouter-images': '/v1/images',
      'image-edits openrouter-images': '/v1/images',
    },
  },
  moonshot: {
    usual: 'chat',
    surfaces: {
      'chat anthropic-messages': '/anthropic/v1/messages',
    },
  },
  lingyiwanwu: {
    usual: 'chat',
  },
  siliconflow: {
    usual: 'chat messages completions embeddings rerank speech transcription',
    surfaces: {
      'images siliconflow-images': '/v1/images/generations',
      'image-edits siliconflow-images': '/v1/images/generations',
    },
  },
  mistral: {
    usual: 'chat embeddings moderations transcription',
    surfaces: {
      'completions openai-completions': '/v1/fim/completions',
      'speech mistral-speech': '/v1/audio/speech',
    },
  },
  deepseek: {
    usual: 'chat responses',
    surfaces: {
      'chat anthropic-messages': 'https://api.deepseek.com/anthropic/v1/messages',
      'completions openai-completions': 'https://api.deepseek.com/beta/completions',
    },
  },
  xinference: {
    baseUrl: 'http://host:9997',
    usual: 'chat completions embeddings rerank images speech transcription translation',
    surfaces: {
      'image-edits xinference-images': '/v1/images/variations',
      'image-variations xinference-images': '/v1/images/variations',
    },
  },
  xai: {
    usual: 'chat responses',
    surfaces: {
      'realtime openai-realtime': '/v1/realtime?model=m-1',
      'images xai-images': '/v1/images/generations',
      'image-edits xai-images': '/v1/images/generations',
      'speech xai-speech': '/v1/tts',
    },
  },
  ai360: {
    usual: 'chat embeddings',
  },
  cerebras: {
    usual: 'chat completions',
  },
  fastgpt: {
    usual: 'chat',
  },
  fireworks: {
    models: { 'fireworks-images': 'flux-1-schnell-fp8' },
    usual: 'chat responses messages completions embeddings rerank',
    surfaces: {
      'images fireworks-images': '/v1/workflows/accounts/fireworks/models/flux-1-schnell-fp8/text_to_image',
      'image-edits fireworks-images': '/v1/workflows/accounts/fireworks/models/flux-1-schnell-fp8/text_to_image',
      'transcription openai-transcription': 'https://audio-prod.api.fireworks.ai/v1/audio/transcriptions',
      'translation openai-translation': 'https://audio-prod.api.fireworks.ai/v1/audio/translations',
    },
  },
  groq: {
    usual: 'chat responses embeddings speech transcription translation',
  },
  huggingface: {
    models: { '*': 'org/name' },
    usual: 'chat responses',
    surfaces: {
      'embeddings huggingface-embeddings':
        'https://router.huggingface.co/hf-inference/models/org/name/pipeline/feature-extraction',
      'images huggingface-images': 'https://router.huggingface.co/hf-inference/models/org/name',
      'image-edits huggingface-images': 'https://router.huggingface.co/hf-inference/models/org/name',
      'transcription huggingface-transcription': 'https://router.huggingface.co/hf-inference/models/org/name',
    },
  },
  moka: {
    surfaces: {
      'embeddings openai-embeddings': '/embeddings',
    },
  },
  'nvidia-nim': {
    models: { 'nvidia-rerank': 'nvidia/llama-3.2-rerank', 'nvidia-images': 'black-forest-labs/flux.1-dev' },
    usual: 'chat completions embeddings',
    surfaces: {
      'images nvidia-images': 'https://ai.api.nvidia.com/v1/genai/black-forest-labs/flux.1-dev',
      'image-edits nvidia-images': 'https://ai.api.nvidia.com/v1/genai/black-forest-labs/flux.1-dev',
      'rerank nvidia-rerank': 'https://ai.api.nvidia.com/v1/retrieval/nvidia/llama-3_2-rerank/reranking',
    },
  },
  together: {
    usual: 'chat completions embeddings rerank speech transcription translation',
    surfaces: {
      'images together-images': '/v1/images/generations',
      'image-edits together-images': '/v1/images/generations',
    },
  },
  volcengine: {
    surfaces: {
      'chat openai-chat': '/api/v3/chat/completions',
      'chat openai-responses': '/api/v3/responses',
      'embeddings openai-embeddings': '/api/v3/embeddings',
      'embeddings volcengine-embeddings': '/api/v3/embeddings/multimodal',
      'images volcengine-images': '/api/v3/images/generations',
      'image-edits volcengine-images': '/api/v3/images/generations',
    },
  },
  ali: {
    surfaces: {
      'chat openai-chat': '/compatible-mode/v1/chat/completions',
      'chat openai-responses': '/compatible-mode/v1/responses',
      'chat anthropic-messages': 'https://dashscope.aliyuncs.com/apps/anthropic/v1/messages',
      'chat dashscope-chat': 'https://dashscope.aliyuncs.com/api/v1/services/aigc/text-generation/generation',
      'completions openai-completions': '/compatible-mode/v1/completions',
      'embeddings openai-embeddings': '/compatible-mode/v1/embeddings',
      'embeddings dashscope-embeddings':
        'https://dashscope.aliyuncs.com/api/v1/services/embeddings/text-embedding/text-embedding',
      'speech dashscope-speech': 'https://dashscope.aliyuncs.com/api/v1/services/aigc/multimodal-generation/generation',
      'transcription dashscope-transcription':
        'https://dashscope.aliyuncs.com/api/v1/services/aigc/multimodal-generation/generation',
      'speech dashscope-speech-socket': 'wss://dashscope.aliyuncs.com/api-ws/v1/inference',
      'speech dashscope-speech-session': 'wss://dashscope.aliyuncs.com/api-ws/v1/realtime?model=m-1',
      'transcription dashscope-transcription-session': 'wss://dashscope.aliyuncs.com/api-ws/v1/realtime?model=m-1',
      'transcription dashscope-recognition': 'wss://dashscope.aliyuncs.com/api-ws/v1/inference',
      'translation dashscope-recognition': 'wss://dashscope.aliyuncs.com/api-ws/v1/inference',
      'realtime openai-realtime': 'wss://dashscope.aliyuncs.com/api-ws/v1/realtime?model=m-1',
      'transcription dashscope-recordings': 'https://dashscope.aliyuncs.com/api/v1/services/audio/asr/transcription',
      'rerank dashscope-rerank': 'https://dashscope.aliyuncs.com/api/v1/services/rerank/text-rerank/text-rerank',
      'images dashscope-images': 'https://dashscope.aliyuncs.com/api/v1/services/aigc/multimodal-generation/generation',
      'image-edits dashscope-images':
        'https://dashscope.aliyuncs.com/api/v1/services/aigc/multimodal-generation/generation',
    },
  },
  'baidu-v2': {
    key: 'access|secret',
    surfaces: {
      'chat openai-chat': '/v2/chat/completions',
      'chat openai-responses': '/v2/responses',
      'embeddings openai-embeddings': '/v2/embeddings',
      'rerank rerank': '/v2/rerankers',
      'images openai-images': '/v2/images/generations',
      'image-edits qianfan-images': '/v2/images/edits',
    },
  },
  cloudflare: {
    key: 'account|token',
    surfaces: {
      'chat openai-chat': '/client/v4/accounts/account/ai/v1/chat/completions',
      'chat openai-responses': '/client/v4/accounts/account/ai/v1/responses',
      'embeddings openai-embeddings': '/client/v4/accounts/account/ai/v1/embeddings',
      'images cloudflare-images': 'https://api.cloudflare.com/client/v4/accounts/account/ai/run/m-1',
      'image-edits cloudflare-images': 'https://api.cloudflare.com/client/v4/accounts/account/ai/run/m-1',
      'rerank cloudflare-rerank': 'https://api.cloudflare.com/client/v4/accounts/account/ai/run/m-1',
      'speech cloudflare-speech': 'https://api.cloudflare.com/client/v4/accounts/account/ai/run/m-1',
      'transcription cloudflare-transcription': 'https://api.cloudflare.com/client/v4/accounts/account/ai/run/m-1',
      'translation cloudflare-transcription': 'https://api.cloudflare.com/client/v4/accounts/account/ai/run/m-1',
    },
  },
  jina: {
    usual: 'embeddings rerank',
  },
  minimax: {
    key: 'jwt|42',
    usual: 'chat responses',
    surfaces: {
      'chat anthropic-messages': '/anthropic/v1/messages',
      'embeddings minimax-embeddings': '/v1/embeddings?GroupId=42',
      'images minimax-images': '/v1/image_generation?GroupId=42',
      'speech minimax-speech': '/v1/t2a_v2?GroupId=42',
      'image-edits minimax-images': '/v1/image_generation?GroupId=42',
    },
  },
  perplexity: {
    surfaces: {
      'chat openai-responses': '/v1/agent',
      'chat openai-chat': '/chat/completions',
      'embeddings perplexity-embeddings': '/v1/embeddings',
    },
  },
  'zhipu-v4': {
    surfaces: {
      'chat openai-chat': '/api/paas/v4/chat/completions',
      'chat anthropic-messages': 'https://open.bigmodel.cn/api/anthropic/v1/messages',
      'embeddings openai-embeddings': '/api/paas/v4/embeddings',
      'moderations zhipu-moderations': '/api/paas/v4/moderations',
      'rerank rerank': '/api/paas/v4/rerank',
      'images openai-images': '/api/paas/v4/images/generations',
      'speech openai-speech': '/api/paas/v4/audio/speech',
      'transcription openai-transcription': '/api/paas/v4/audio/transcriptions',
      'realtime openai-realtime': '/api/paas/v4/realtime?model=m-1',
    },
  },
  'aiproxy-library': {
    surfaces: {
      'chat aiproxy-library': '/api/library/ask',
    },
  },
  baidu: {
    key: 'id|secret',
    surfaces: {
      'chat baidu-wenxin': '/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/m-1',
      'embeddings openai-embeddings': '/rpc/2.0/ai_custom/v1/wenxinworkshop/embeddings/m-1',
      'rerank rerank': '/rpc/2.0/ai_custom/v1/wenxinworkshop/reranker/m-1',
      'images baidu-images': '/rpc/2.0/ai_custom/v1/wenxinworkshop/text2image/m-1',
    },
  },
  cohere: {
    surfaces: {
      'chat cohere-chat': '/v2/chat',
      'chat cohere-v1-chat': '/v1/chat',
      'embeddings cohere-embeddings': '/v2/embed',
      'rerank cohere-rerank': '/v2/rerank',
      'transcription openai-transcription': '/v2/audio/transcriptions',
    },
  },
  coze: {
    key: 'pat_key|me',
    surfaces: {
      'chat coze-chat': '/v3/chat',
    },
  },
  dify: {
    surfaces: {
      'chat dify-chat': '/v1/chat-messages',
    },
  },
  replicate: {
    models: { '*': 'meta/llama' },
    surfaces: {
      'chat replicate-predictions': '/v1/models/meta/llama/predictions',
      'images replicate-images': '/v1/models/meta/llama/predictions',
      'image-edits replicate-images': '/v1/models/meta/llama/predictions',
    },
  },
  tencent: {
    key: '1250000000|AKIDEXAMPLE|secret',
    usual: 'chat responses messages embeddings',
    surfaces: {
      'chat tencent-hunyuan': 'https://hunyuan.tencentcloudapi.com/',
      'embeddings tencent-embeddings': 'https://hunyuan.tencentcloudapi.com/',
    },
  },
  xunfei: {
    key: '12345678|secret|key',
    surfaces: {
      'chat xunfei-spark': '/v1/chat/completions',
      'chat xunfei-socket': 'wss://spark-api.xf-yun.com/v1.1/chat',
    },
  },
  zhipu: {
    key: 'id.secret',
    surfaces: {
      'chat zhipu-v3': ['/api/paas/v3/model-api/m-1/invoke', '/api/paas/v3/model-api/m-1/sse-invoke'],
    },
  },
  'midjourney-proxy': { surfaces: { 'tasks midjourney': '/mj/submit/imagine' } },
  suno: { surfaces: { 'tasks suno': '/suno/fetch' } },
  'midjourney-proxy-plus': { surfaces: { 'tasks midjourney': '/mj/submit/imagine' } },
};
