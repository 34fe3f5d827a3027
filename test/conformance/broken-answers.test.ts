/**
 * Answers to calls that are no conversations, with one value of a wrong type, or none at all: whatever an upstream
 * sends becomes an answer or a verdict, and never breaks the gateway.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../daemon/errors.ts';
import { callTranslatorOf } from '../../daemon/relay/calls/index.ts';
import type { FormatId } from '../../daemon/relay/format.ts';
import { isObject, type Json, type JsonObject } from '../../daemon/relay/json.ts';
import { testScope } from './scope.ts';

const test = suite('broken answers');

const image = 'iVBORw0KGgo=';
const vector = [0.5, -1];

/** What each client asks. */
const asked: Partial<Record<FormatId, JsonObject>> = {
  'openai-embeddings': { model: 'm', input: ['a'], dimensions: 2 },
  'gemini-embeddings': { model: 'm', content: { parts: [{ text: 'a' }] } },
  'openai-moderations': { model: 'm', input: 'a' },
  rerank: { model: 'm', query: 'q', documents: ['a', { text: 'b' }], return_documents: true },
  'openai-images': { model: 'm', prompt: 'a cat', response_format: 'b64_json' },
  'openai-speech': { model: 'qwen3-tts-flash', input: 'a', voice: 'v' },
  'openai-transcription': { model: 'qwen3-asr-flash', file: 'data:audio/wav;base64,AAAA' },
  'anthropic-messages': { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
};

const ranked = [{ index: 1, relevance_score: 0.9 }];
const chosen = { content: [{ text: 'a' }], annotations: [{ language: 'zh' }] };
/** What each upstream answers when all is well. */
const answers: Partial<Record<FormatId, JsonObject>> = {
  'openai-embeddings': { data: [{ index: 0, embedding: vector }], usage: { prompt_tokens: 2, total_tokens: 2 } },
  'cohere-embeddings': { embeddings: { float: [vector] }, meta: { billed_units: { input_tokens: 2 } } },
  'dashscope-embeddings': {
    output: { embeddings: [{ text_index: 0, embedding: vector }] },
    usage: { total_tokens: 2 },
  },
  'gemini-embeddings': { embeddings: [{ values: vector }], usageMetadata: { promptTokenCount: 2 } },
  'minimax-embeddings': { vectors: [vector], total_tokens: 2, base_resp: { status_code: 0 } },
  'ollama-embeddings': { embeddings: [vector], prompt_eval_count: 2 },
  'perplexity-embeddings': { data: [{ index: 0, embedding: 'AP8=' }], usage: { prompt_tokens: 2 } },
  'tencent-embeddings': { Response: { Data: [{ Index: 0, Embedding: vector }], Usage: { PromptTokens: 2 } } },
  'titan-embeddings': { embedding: vector, inputTextTokenCount: 2 },
  'vertex-embeddings': { predictions: [{ embeddings: { values: vector, statistics: { token_count: 2 } } }] },
  'volcengine-embeddings': { data: { embedding: vector, object: 'embedding' }, usage: { prompt_tokens: 2 } },
  rerank: { id: 'r', results: ranked, usage: { total_tokens: 2 } },
  'bedrock-rerank': { results: ranked },
  'cohere-rerank': { id: 'r', results: ranked, meta: { billed_units: { search_units: 1 } } },
  'dashscope-rerank': { output: { results: ranked }, usage: { total_tokens: 2 }, request_id: 'r' },
  'dashscope-images': { output: { task_status: 'SUCCEEDED', results: [{ url: 'https://h.example/1.png' }] } },
  'gemini-images': { candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data: image } }] } }] },
  'minimax-images': { data: { image_base64: [image] }, base_resp: { status_code: 0 } },
  'openrouter-images': { created: 1, data: [{ b64_json: image }], usage: { completion_tokens: 3 } },
  'siliconflow-images': { images: [{ url: 'https://h.example/1.png' }], seed: 1 },
  'volcengine-images': { created: 1, data: [{ url: 'https://h.example/1.png' }], usage: { generated_images: 1 } },
  'xai-images': { data: [{ b64_json: image }] },
  'amazon-images': { images: [image], error: null },
  'stability-images': { images: [image], seeds: [7], finish_reasons: [null] },
  'qianfan-images': { id: 'as-1', created: 1, data: [{ url: 'https://h.example/1.png' }] },
  'dashscope-speech': { output: { audio: { url: 'https://h.example/1.wav', data: '' } }, usage: { characters: 2 } },
  'gemini-speech': { candidates: [{ content: { parts: [{ inlineData: { mimeType: 'audio/L16', data: 'AAAA' } }] } }] },
  'minimax-speech': { data: { audio: '00ff' }, extra_info: { usage_characters: 2 }, base_resp: { status_code: 0 } },
  'mistral-speech': { audio_data: 'AAAA' },
  'dashscope-transcription': { output: { choices: [{ message: chosen }] }, usage: { seconds: 2 } },
  'cloudflare-speech': { success: true, result: { audio: 'AAAA' } },
  'cloudflare-transcription': {
    success: true,
    result: {
      text: 'a',
      transcription_info: { language: 'en', duration: 2 },
      segments: [{ start: 0, end: 1, text: 'a', words: [{ word: 'a', start: 0, end: 1 }] }],
    },
  },
  'huggingface-transcription': { text: 'a', chunks: [{ text: 'a', timestamp: [0, 1] }] },
  'bedrock-count-tokens': { inputTokens: 2 },
  'zhipu-moderations': { id: 'm', result_list: [{ content_type: 'text', risk_level: 'REJECT', risk_type: ['x'] }] },
};

/** The body with every value replaced by others of the wrong type, one at a time. */
function* broken(value: Json): Generator<Json> {
  for (const wrong of [null, 7, -1.5, 'x', '', [], {}, true]) yield wrong;
  if (Array.isArray(value)) {
    for (const [at, entry] of value.entries()) for (const bad of broken(entry)) yield value.with(at, bad);
  } else if (isObject(value)) {
    for (const [name, entry] of Object.entries(value)) {
      const { [name]: _, ...without } = value;
      yield without;
      for (const bad of broken(entry)) yield { ...value, [name]: bad };
    }
  }
}

/** What becomes of an answer; a refusal in Tollgate's own words counts as a verdict. */
function toldOf(client: FormatId, upstream: FormatId, body: string): 'answer' | 'verdict' {
  const translation = callTranslatorOf(client, upstream)?.open(asked[client] ?? {}, {
    model: String(asked[client]?.model),
    scope: testScope(),
  });
  assert.ok(translation, `${client} by ${upstream}`);
  const reply = { body: Buffer.from(body), contentType: 'application/json', headers: {} };
  try {
    const verdict = translation.parts[0].read(reply);
    if (verdict !== undefined) return 'verdict';
    const answer = translation.answer();
    if ('kind' in answer) return 'verdict';
    answer.withFiles?.(new Map());
    return 'answer';
  } catch (error) {
    if (error instanceof TollgateError) return 'verdict';
    throw error;
  }
}

for (const upstream of Object.keys(answers) as FormatId[]) {
  const whole = answers[upstream] ?? {};
  for (const client of Object.keys(asked) as FormatId[]) {
    if (callTranslatorOf(client, upstream) === undefined) continue;
    test(`${upstream} tells a ${client} client something, whatever comes`, () => {
      const speaksOfFiles = JSON.stringify(whole).includes('1.wav');
      assert.is(toldOf(client, upstream, JSON.stringify(whole)), speaksOfFiles ? 'verdict' : 'answer');
      for (const text of ['', 'null', '[]', '"x"', '{', '<html>']) toldOf(client, upstream, text);
      for (const body of broken(whole)) {
        try {
          toldOf(client, upstream, JSON.stringify(body));
        } catch (error) {
          assert.unreachable(`${JSON.stringify(body)}: ${error}`);
        }
      }
    });
  }
}

test.run();
