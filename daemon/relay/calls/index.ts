/**
 * The formats of calls that are one question and one answer, by capability: every client's half meets every upstream's
 * half of its own capability.
 */
import { type CallTranslator, callTranslators } from '../call-format.ts';
import type { FormatId } from '../format.ts';
import { cohereEmbeddings } from '../formats/cohere-embeddings/index.ts';
import { cohereRerank } from '../formats/cohere-rerank/index.ts';
import { dashscopeRerank } from '../formats/dashscope-rerank/index.ts';
import { geminiEmbeddings } from '../formats/gemini-embeddings/index.ts';
import { minimaxEmbeddings } from '../formats/minimax-embeddings/index.ts';
import { ollamaEmbeddings } from '../formats/ollama-embeddings/index.ts';
import { openaiEmbeddings } from '../formats/openai-embeddings/index.ts';
import { rerank } from '../formats/rerank/index.ts';
import { vertexEmbeddings } from '../formats/vertex-embeddings/index.ts';

const translators: readonly CallTranslator[] = [
  ...callTranslators(
    [openaiEmbeddings, geminiEmbeddings],
    [openaiEmbeddings, geminiEmbeddings, ollamaEmbeddings, cohereEmbeddings, minimaxEmbeddings, vertexEmbeddings],
  ),
  ...callTranslators([rerank], [rerank, cohereRerank, dashscopeRerank]),
];

const byPair: ReadonlyMap<string, CallTranslator> = new Map(
  translators.map((translator) => [`${translator.client} ${translator.upstream}`, translator]),
);

/** The translator between two formats; undefined for pairs of different capabilities. */
export function callTranslatorOf(client: FormatId, upstream: FormatId): CallTranslator | undefined {
  return byPair.get(`${client} ${upstream}`);
}
