/** The surfaces of the clouds that lend models of many vendors. */
import type { VendorSurfaces } from './usual-surfaces.ts';

export const cloudSurfaces: Readonly<Record<string, VendorSurfaces>> = {
  azure: {
    baseUrl: 'https://r.openai.azure.com',
    surfaces: {
      'chat openai-chat': '/openai/v1/chat/completions',
      'chat openai-responses': '/openai/v1/responses',
      'responses-compact openai-responses-compact': '/openai/v1/responses/compact',
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
      'responses-compact openai-responses-compact': '/openai/v1/responses/compact',
      'chat anthropic-messages': '/anthropic/v1/messages',
      'embeddings openai-embeddings': '/openai/v1/embeddings',
      'images openai-images': '/openai/v1/images/generations',
      'rerank cohere-rerank': '/providers/cohere/v2/rerank',
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
      'amazon-images': 'nova-canvas',
      'stability-images': 'stability.stable-image-inpaint-v1:0',
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
      'images amazon-images': 'https://bedrock-runtime.eu-west-1.amazonaws.com/model/amazon.nova-canvas-v1%3A0/invoke',
      'image-edits amazon-images':
        'https://bedrock-runtime.eu-west-1.amazonaws.com/model/amazon.nova-canvas-v1%3A0/invoke',
      'images stability-images':
        'https://bedrock-runtime.eu-west-1.amazonaws.com/model/us.stability.stable-image-inpaint-v1%3A0/invoke',
      'image-edits stability-images':
        'https://bedrock-runtime.eu-west-1.amazonaws.com/model/us.stability.stable-image-inpaint-v1%3A0/invoke',
    },
  },
  vertex: {
    key: 'project|AIza-key',
    models: {
      'anthropic-messages': 'claude-sonnet-5',
      'openai-chat': 'meta/llama-4',
      'gemini-predict': 'imagen-4',
      'vertex-predict': 'imagen-3.0-capability-001',
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
      'images vertex-predict':
        'https://aiplatform.googleapis.com/v1/projects/project/locations/global/publishers/google/models/imagen-3.0-capability-001:predict',
      'images gemini-predict':
        'https://aiplatform.googleapis.com/v1/projects/project/locations/global/publishers/google/models/imagen-4:predict',
      'speech gemini-speech':
        'https://aiplatform.googleapis.com/v1/projects/project/locations/global/publishers/google/models/gemini-3:generateContent',
      'image-edits gemini-images':
        'https://aiplatform.googleapis.com/v1/projects/project/locations/global/publishers/google/models/gemini-3:generateContent',
      'image-edits vertex-predict':
        'https://aiplatform.googleapis.com/v1/projects/project/locations/global/publishers/google/models/imagen-3.0-capability-001:predict',
    },
  },
};
