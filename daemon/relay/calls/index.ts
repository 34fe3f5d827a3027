/**
 * The formats of calls that are one question and one answer, by capability: every client's half meets every upstream's
 * half of its own capability.
 */
import { type CallTranslator, callTranslators } from '../call-format.ts';
import { type EmbeddingsAnswer, type EmbeddingsRequest, joinVectors } from '../canonical/embeddings.ts';
import { joinImages, splitImages } from '../canonical/image.ts';
import { inputsConsumed, splitInputs } from '../canonical/inputs.ts';
import {
  joinVerdicts,
  type ModerationAnswer,
  type ModerationRequest,
  splitModeration,
} from '../canonical/moderation.ts';
import type { FormatId } from '../format.ts';
import { amazonImages } from '../formats/amazon-images/index.ts';
import { anthropicCount } from '../formats/anthropic-messages/count.ts';
import { baiduImages } from '../formats/baidu-images/index.ts';
import { bedrockCountTokens } from '../formats/bedrock-count-tokens/index.ts';
import { bedrockRerank } from '../formats/bedrock-rerank/index.ts';
import { cloudflareImages } from '../formats/cloudflare-images/index.ts';
import { cloudflareRerank } from '../formats/cloudflare-rerank/index.ts';
import { cloudflareSpeech } from '../formats/cloudflare-speech/index.ts';
import { cloudflareTranscription } from '../formats/cloudflare-transcription/index.ts';
import { cohereEmbeddings } from '../formats/cohere-embeddings/index.ts';
import { cohereRerank } from '../formats/cohere-rerank/index.ts';
import { dashscopeEmbeddings } from '../formats/dashscope-embeddings/index.ts';
import { dashscopeImages } from '../formats/dashscope-images/index.ts';
import { dashscopeRecognition } from '../formats/dashscope-recognition/index.ts';
import { dashscopeRecordings } from '../formats/dashscope-recordings/index.ts';
import { dashscopeRerank } from '../formats/dashscope-rerank/index.ts';
import { dashscopeSpeech } from '../formats/dashscope-speech/index.ts';
import { dashscopeSpeechSession } from '../formats/dashscope-speech-session/index.ts';
import { dashscopeSpeechSocket } from '../formats/dashscope-speech-socket/index.ts';
import { dashscopeTranscription } from '../formats/dashscope-transcription/index.ts';
import { dashscopeTranscriptionSession } from '../formats/dashscope-transcription-session/index.ts';
import { fireworksImages } from '../formats/fireworks-images/index.ts';
import { geminiEmbeddings } from '../formats/gemini-embeddings/index.ts';
import { geminiImages } from '../formats/gemini-images/index.ts';
import { geminiPredict } from '../formats/gemini-predict/index.ts';
import { geminiSpeech } from '../formats/gemini-speech/index.ts';
import { huggingfaceEmbeddings } from '../formats/huggingface-embeddings/index.ts';
import { huggingfaceImages } from '../formats/huggingface-images/index.ts';
import { huggingfaceTranscription } from '../formats/huggingface-transcription/index.ts';
import { minimaxEmbeddings } from '../formats/minimax-embeddings/index.ts';
import { minimaxImages } from '../formats/minimax-images/index.ts';
import { minimaxSpeech } from '../formats/minimax-speech/index.ts';
import { mistralSpeech } from '../formats/mistral-speech/index.ts';
import { nvidiaImages } from '../formats/nvidia-images/index.ts';
import { nvidiaRerank } from '../formats/nvidia-rerank/index.ts';
import { ollamaEmbeddings } from '../formats/ollama-embeddings/index.ts';
import { openaiEmbeddings } from '../formats/openai-embeddings/index.ts';
import {
  imagesConsumed,
  openaiImageEdits,
  openaiImages,
  openaiImageVariations,
} from '../formats/openai-images/index.ts';
import { imitatedImages } from '../formats/openai-images/upstream.ts';
import { openaiModerations } from '../formats/openai-moderations/index.ts';
import { openaiSpeech } from '../formats/openai-speech/index.ts';
import { openaiTranscription, openaiTranslation } from '../formats/openai-transcription/index.ts';
import { openrouterImages } from '../formats/openrouter-images/index.ts';
import { perplexityEmbeddings } from '../formats/perplexity-embeddings/index.ts';
import { qianfanImages } from '../formats/qianfan-images/index.ts';
import { replicateImages } from '../formats/replicate-images/index.ts';
import { rerank } from '../formats/rerank/index.ts';
import { siliconflowImages } from '../formats/siliconflow-images/index.ts';
import { stabilityImages } from '../formats/stability-images/index.ts';
import { tencentEmbeddings } from '../formats/tencent-embeddings/index.ts';
import { titanEmbeddings } from '../formats/titan-embeddings/index.ts';
import { togetherImages } from '../formats/together-images/index.ts';
import { vertexEmbeddings } from '../formats/vertex-embeddings/index.ts';
import { vertexPredict } from '../formats/vertex-predict/index.ts';
import { volcengineEmbeddings } from '../formats/volcengine-embeddings/index.ts';
import { volcengineImages } from '../formats/volcengine-images/index.ts';
import { xaiImages } from '../formats/xai-images/index.ts';
import { xaiSpeech } from '../formats/xai-speech/index.ts';
import { xinferenceImages } from '../formats/xinference-images/index.ts';
import { zhipuModerations } from '../formats/zhipu-moderations/index.ts';

const translators: readonly CallTranslator[] = [
  ...callTranslators<EmbeddingsRequest, EmbeddingsAnswer>(
    [openaiEmbeddings, geminiEmbeddings],
    [
      openaiEmbeddings,
      geminiEmbeddings,
      huggingfaceEmbeddings,
      ollamaEmbeddings,
      cohereEmbeddings,
      dashscopeEmbeddings,
      minimaxEmbeddings,
      tencentEmbeddings,
      perplexityEmbeddings,
      titanEmbeddings,
      vertexEmbeddings,
      volcengineEmbeddings,
    ],
    { split: splitInputs, join: joinVectors, consumed: inputsConsumed },
  ),
  ...callTranslators(
    [openaiImages, openaiImageEdits, openaiImageVariations],
    [
      amazonImages,
      baiduImages,
      cloudflareImages,
      dashscopeImages,
      fireworksImages,
      geminiImages,
      geminiPredict,
      huggingfaceImages,
      imitatedImages,
      minimaxImages,
      nvidiaImages,
      qianfanImages,
      replicateImages,
      openrouterImages,
      siliconflowImages,
      stabilityImages,
      togetherImages,
      vertexPredict,
      volcengineImages,
      xaiImages,
      xinferenceImages,
    ],
    { split: splitImages, join: joinImages, consumed: (said, piece) => imagesConsumed(said, piece) },
  ),
  ...callTranslators(
    [openaiSpeech],
    [
      cloudflareSpeech,
      dashscopeSpeech,
      dashscopeSpeechSession,
      dashscopeSpeechSocket,
      geminiSpeech,
      minimaxSpeech,
      mistralSpeech,
      xaiSpeech,
    ],
  ),
  ...callTranslators(
    [openaiTranscription, openaiTranslation],
    [
      cloudflareTranscription,
      dashscopeRecognition,
      dashscopeRecordings,
      dashscopeTranscription,
      dashscopeTranscriptionSession,
      huggingfaceTranscription,
    ],
  ),
  ...callTranslators([rerank], [rerank, bedrockRerank, cloudflareRerank, cohereRerank, dashscopeRerank, nvidiaRerank]),
  ...callTranslators<ModerationRequest, ModerationAnswer>([openaiModerations], [zhipuModerations], {
    split: splitModeration,
    join: joinVerdicts,
    consumed: inputsConsumed,
  }),
  ...callTranslators([anthropicCount], [bedrockCountTokens]),
];

const byPair: ReadonlyMap<string, CallTranslator> = new Map(
  translators.map((translator) => [`${translator.client} ${translator.upstream}`, translator]),
);

/** The translator between two formats; undefined for pairs of different capabilities. */
export function callTranslatorOf(client: FormatId, upstream: FormatId): CallTranslator | undefined {
  return byPair.get(`${client} ${upstream}`);
}
