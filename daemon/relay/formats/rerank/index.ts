/** Reranking as Jina began it and many servers imitate; also what clients speak (relay.md 5.12). */
import { type CallAnswer, type ClientCallFormat, jsonAnswer, type OneQuestionFormat } from '../../call-format.ts';
import type { RankedDocument, RerankAnswer, RerankRequest } from '../../canonical/rerank.ts';
import { emptyUsage, tokenCount, type Usage } from '../../canonical/usage.ts';
import type { Scope } from '../../format.ts';
import { isObject, type Json, type JsonObject } from '../../json.ts';
import { asIndex, asNumber, asObject, asObjects, asText, asWord, present, remainder } from '../fields.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';

const known = new Set(['model', 'query', 'documents', 'top_n', 'return_documents']);

/** The text of a document, for vendors that take nothing else. */
export function documentText(document: Json): string {
  if (typeof document === 'string') return document;
  if (!isObject(document)) return JSON.stringify(document);
  const text = asText(document.text);
  if (text !== undefined) return text;
  return Object.entries(document)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}

/** Results wherever an imitator puts them. */
export function readRanking(list: Json | undefined): RankedDocument[] {
  return asObjects(list).flatMap((entry) => {
    const index = asIndex(entry.index) ?? asIndex(entry.id);
    const score = asNumber(entry.relevance_score) ?? asNumber(entry.relevanceScore) ?? asNumber(entry.score);
    return index === undefined || score === undefined ? [] : [{ index, score }];
  });
}

/** Tokens, or units of search; undefined when the answer names neither. */
export function readRerankUsage(body: JsonObject, scope: Scope): Usage | undefined {
  const meta = asObject(body.meta);
  const own = asObject(body.usage);
  const counted = asObject(meta?.tokens);
  const billed = asObject(meta?.billed_units);
  const tokens =
    tokenCount(own?.total_tokens) ||
    tokenCount(own?.prompt_tokens) ||
    tokenCount(counted?.input_tokens) + tokenCount(counted?.output_tokens) ||
    tokenCount(billed?.input_tokens);
  const searchUnits = tokenCount(billed?.search_units ?? own?.search_units);
  if (tokens === 0 && searchUnits === 0) return undefined;
  const units = searchUnits === 0 ? {} : { searchUnits };
  // A vendor that bills by search says nothing of tokens, which a price by token still needs.
  if (tokens === 0) return { ...emptyUsage('mixed'), prompt: scope.promptTokens ?? 0, units };
  return { ...emptyUsage(), prompt: tokens, units };
}

export const rerank: ClientCallFormat<RerankRequest, RerankAnswer> & OneQuestionFormat<RerankRequest, RerankAnswer> = {
  id: 'rerank',

  decodeRequest(body) {
    const own = remainder(body, known);
    return present({
      model: asWord(body.model) ?? '',
      query: asText(body.query) ?? '',
      documents: Array.isArray(body.documents) ? body.documents : [],
      topN: asNumber(body.top_n),
      returnDocuments: body.return_documents === true,
      unsaid: Object.keys(own),
      own,
    });
  },

  encodeAnswer(answer, asked, scope): CallAnswer {
    const ranked = answer.results.toSorted((one, other) => other.score - one.score);
    const results = ranked.slice(0, asked.topN ?? ranked.length).map(({ index, score }) => ({
      index,
      relevance_score: score,
      ...(asked.returnDocuments ? { document: shownDocument(asked.documents[index]) } : {}),
    }));
    const tokens = answer.usage?.prompt ?? scope.promptTokens ?? 0;
    const id = answer.id ?? scope.newId('rerank-');
    const usage = { prompt_tokens: tokens, total_tokens: tokens };
    const searches = answer.usage?.units.searchUnits;
    // Cohere's clients look here, and the AI SDK's takes no answer without it.
    const meta = { billed_units: searches === undefined ? { input_tokens: tokens } : { search_units: searches } };
    return jsonAnswer({ id, model: scope.model, results, usage, meta }, { usage: answer.usage });
  },

  encodeRequest(asked, scope) {
    loseUnsaid(asked, scope);
    return {
      body: {
        model: asked.model,
        query: asked.query,
        documents: [...asked.documents],
        return_documents: asked.returnDocuments,
        ...present({ top_n: asked.topN }),
      },
    };
  },

  decodeAnswer(body, _, scope) {
    // Fireworks has them under `data`.
    const results = readRanking(body.results ?? body.data);
    if (results.length === 0) return { kind: 'empty' };
    return { ...present({ id: asWord(body.id) }), results, usage: readRerankUsage(body, scope) };
  },
};

function shownDocument(document: Json | undefined): Json {
  return isObject(document) ? document : { text: asText(document) ?? '' };
}
