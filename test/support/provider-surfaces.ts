/** Where every vendor's surfaces stand, as the sheets under `providers/` say, and with which kind of key they are asked. */

export interface VendorSurfaces {
  /** Default: a plain one. */
  readonly key?: string;
  /** For vendors without an address of their own. */
  readonly baseUrl?: string;
  /** Model by format; `*` for the rest. */
  readonly models?: Readonly<Record<string, string>>;
  /** Surfaces that stand where OpenAI's (and Anthropic's) do, by the words of `usualSurfaces`. */
  readonly usual?: string;
  /** The others: path by capability and format; a pair where a stream stands elsewhere. */
  readonly surfaces?: Readonly<Record<string, string | readonly [whole: string, streamed: string]>>;
}

/** Capability and format, and the path that most vendors took over. */
export const usualSurfaces: Readonly<Record<string, readonly [surface: string, path: string]>> = {
  chat: ['chat openai-chat', '/v1/chat/completions'],
  responses: ['chat openai-responses', '/v1/responses'],
  messages: ['chat anthropic-messages', '/v1/messages'],
  completions: ['completions openai-completions', '/v1/completions'],
  embeddings: ['embeddings openai-embeddings', '/v1/embeddings'],
  moderations: ['moderations openai-moderations', '/v1/moderations'],
  rerank: ['rerank rerank', '/v1/rerank'],
  images: ['images openai-images', '/v1/images/generations'],
  'image-edits': ['image-edits openai-image-edits', '/v1/images/edits'],
  speech: ['speech openai-speech', '/v1/audio/speech'],
  transcription: ['transcription openai-transcription', '/v1/audio/transcriptions'],
  translation: ['translation openai-translation', '/v1/audio/translations'],
};

export const vendorSurfaces: Readonly<Record<string, VendorSurfaces>> = {
  openai: {
    usual: 'chat responses completions embeddings moderations images image-edits speech transcription translation',
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
  azure: {
    baseUrl: 'https://r.openai.azure.com',
    surfaces: {
      'chat openai-chat': '/openai/v1/chat/completions',
      'chat openai-responses': '/openai/v1/responses',
      'chat anthropic-messages': '/anthropic/v1/messages',
      'completions openai-completions': '/openai/v1/completions',
      'embeddings openai-embeddings': '/openai/v1/embeddings',
      'images openai-images': '/openai/v1/images/generations',
      'image-edits openai-image-edits': '/openai/v1/images/edits',
      'speech openai-speech': '/openai/v1/audio/speech',
      'transcription openai-transcription': '/openai/v1/audio/transcriptions',
      'translation openai-translation': '/openai/v1/audio/translations',
      'realtime openai-realtime': '/openai/v1/realtime?model=m-1',
    },
  },
  'azure-foundry': {
    baseUrl: 'https://r.services.ai.azure.com',
    surfaces: {
      'chat openai-chat': '/openai/v1/chat/completions',
      'chat openai-responses': '/openai/v1/responses',
      'chat anthropic-messages': '/anthropic/v1/messages',
      'embeddings openai-embeddings': '/openai/v1/embeddings',
    },
  },
  ollama: {
    usual: 'chat completions',
    surfaces: {
      'chat ollama-chat': '/api/chat',
      'embeddings ollama-embeddings': '/api/embed',
    },
  },
  bedrock: {
    key: 'AKIAIOSFODNN7EXAMPLE|secret|eu-west-1',
    models: {
      'bedrock-converse': 'nova-pro',
      'anthropic-messages': 'claude-sonnet-4-5',
      'bedrock-count-tokens': 'claude-sonnet-4-5',
      'titan-embeddings': 'titan-embed-text-v2',
      'cohere-embeddings': 'embed-v4.0',
      'bedrock-rerank': 'rerank-v3.5',
      '*': 'openai.gpt-oss-20b-1:0',
    },
    surfaces: {
      'chat anthropic-messages': [
        'https://bedrock-runtime.eu-west-1.amazonaws.com/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke',
        'https://bedrock-runtime.eu-west-1.amazonaws.com/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream',
      ],
      'chat openai-responses': 'https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1/responses',
      'chat openai-chat': 'https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1/chat/completions',
      'chat bedrock-converse': [
        'https://bedrock-runtime.eu-west-1.amazonaws.com/model/eu.amazon.nova-pro-v1%3A0/converse',
        'https://bedrock-runtime.eu-west-1.amazonaws.com/model/eu.amazon.nova-pro-v1%3A0/converse-stream',
      ],
      'count-tokens bedrock-count-tokens':
        'https://bedrock-runtime.eu-west-1.amazonaws.com/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/count-tokens',
      'embeddings titan-embeddings':
        'https://bedrock-runtime.eu-west-1.amazonaws.com/model/amazon.titan-embed-text-v2%3A0/invoke',
      'embeddings cohere-embeddings':
        'https://bedrock-runtime.eu-west-1.amazonaws.com/model/cohere.embed-v4%3A0/invoke',
      'rerank bedrock-rerank': 'https://bedrock-runtime.eu-west-1.amazonaws.com/model/cohere.rerank-v3-5%3A0/invoke',
    },
  },
  vertex: {
    key: 'project|AIza-key',
    models: {
      'anthropic-messages': 'claude-sonnet-5',
      'openai-chat': 'meta/llama-4',
      'gemini-predict': 'imagen-4',
      'vertex-embeddings': 'text-embedding-005',
      '*': 'gemini-3',
    },
    surfaces: {
      'chat gemini-generate': [
        'https://aiplatform.googleapis.com/v1/projects/project/locations/global/publishers/google/models/gemini-3:generateContent',
        'https://aiplatform.googleapis.com/v1/projects/project/locations/global/publishers/google/models/gemini-3:streamGenerateContent?alt=sse',
      ],
      'chat anthropic-messages': [
        'https://aiplatform.googleapis.com/v1/projects/project/locations/global/publishers/anthropic/models/claude-sonnet-5:rawPredict',
        'https://aiplatform.googleapis.com/v1/projects/project/locations/global/publishers/anthropic/models/claude-sonnet-5:streamRawPredict',
      ],
      'chat openai-chat':
        'https://aiplatform.googleapis.com/v1/projects/project/locations/global/endpoints/openapi/chat/completions',
      'embeddings vertex-embeddings':
        'https://aiplatform.googleapis.com/v1/projects/project/locations/global/publishers/google/models/text-embedding-005:predict',
      'embeddings gemini-embeddings':
        'https://aiplatform.googleapis.com/v1/projects/project/locations/global/publishers/google/models/gemini-3:generateContent',
      'count-tokens gemini-generate':
        'https://aiplatform.googleapis.com/v1/projects/project/locations/global/publishers/google/models/gemini-3:generateContent',
      'count-tokens anthropic-messages':
        'https://aiplatform.googleapis.com/v1/projects/project/locations/global/publishers/anthropic/models/count-tokens:rawPredict',
      'images gemini-images':
        'https://aiplatform.googleapis.com/v1/projects/project/locations/global/publishers/google/models/gemini-3:generateContent',
      'images gemini-predict':
        'https://aiplatform.googleapis.com/v1/projects/project/locations/global/publishers/google/models/imagen-4:predict',
      'speech gemini-speech':
        'https://aiplatform.googleapis.com/v1/projects/project/locations/global/publishers/google/models/gemini-3:generateContent',
      'image-edits gemini-images':
        'https://aiplatform.googleapis.com/v1/projects/project/locations/global/publishers/google/models/gemini-3:generateContent',
    },
  },
  custom: {
    baseUrl: 'https://h.example/v1/chat/completions',
    surfaces: {
      'chat openai-chat': 'https://h.example/v1/chat/completions',
      'completions openai-completions': 'https://h.example/v1/chat/completions',
      'embeddings openai-embeddings': 'https://h.example/v1/chat/completions',
      'moderations openai-moderations': 'https://h.example/v1/chat/completions',
      'rerank rerank': 'https://h.example/v1/chat/completions',
      'images openai-images': 'https://h.example/v1/chat/completions',
      'image-edits openai-image-edits': 'https://h.example/v1/chat/completions',
      'speech openai-speech': 'https://h.example/v1/chat/completions',
      'transcription openai-transcription': 'https://h.example/v1/chat/completions',
      'translation openai-translation': 'https://h.example/v1/chat/completions',
    },
  },
  openrouter: {
    usual: 'chat responses messages completions embeddings rerank speech',
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
  },
  xai: {
    usual: 'chat responses',
    surfaces: {
      'realtime openai-realtime': '/v1/realtime?model=m-1',
      'images xai-images': '/v1/images/generations',
      'image-edits xai-images': '/v1/images/generations',
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
    usual: 'chat responses messages completions embeddings rerank',
  },
  groq: {
    usual: 'chat responses embeddings speech transcription translation',
  },
  huggingface: {
    usual: 'chat responses',
  },
  moka: {
    surfaces: {
      'embeddings openai-embeddings': '/embeddings',
    },
  },
  'nvidia-nim': {
    usual: 'chat completions embeddings',
  },
  together: {
    usual: 'chat completions embeddings rerank images speech transcription translation',
  },
  volcengine: {
    surfaces: {
      'chat openai-chat': '/api/v3/chat/completions',
      'chat openai-responses': '/api/v3/responses',
      'embeddings openai-embeddings': '/api/v3/embeddings',
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
    },
  },
  cloudflare: {
    key: 'account|token',
    surfaces: {
      'chat openai-chat': '/client/v4/accounts/account/ai/v1/chat/completions',
      'chat openai-responses': '/client/v4/accounts/account/ai/v1/responses',
      'embeddings openai-embeddings': '/client/v4/accounts/account/ai/v1/embeddings',
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
    },
  },
  'zhipu-v4': {
    surfaces: {
      'chat openai-chat': '/api/paas/v4/chat/completions',
      'chat anthropic-messages': 'https://open.bigmodel.cn/api/anthropic/v1/messages',
      'embeddings openai-embeddings': '/api/paas/v4/embeddings',
      'moderations openai-moderations': '/api/paas/v4/moderations',
      'rerank rerank': '/api/paas/v4/rerank',
      'images openai-images': '/api/paas/v4/images/generations',
      'speech openai-speech': '/api/paas/v4/audio/speech',
      'transcription openai-transcription': '/api/paas/v4/audio/transcriptions',
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
      'rerank rerank': '/rpc/2.0/ai_custom/v1/wenxinworkshop/reranker/m_1',
    },
  },
  cohere: {
    surfaces: {
      'chat cohere-chat': '/v2/chat',
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
    },
  },
  tencent: {
    key: '1250000000|AKIDEXAMPLE|secret',
    usual: 'chat responses messages embeddings',
    surfaces: {
      'chat tencent-hunyuan': 'https://hunyuan.tencentcloudapi.com/',
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
};
