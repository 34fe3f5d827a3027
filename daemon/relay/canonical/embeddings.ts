/** Embeddings between the formats: texts in, vectors out (relay.md 5.5, 13.6). */
import type { JsonObject } from '../json.ts';
import { sumUsage, type Usage } from './usage.ts';

/** What is to be turned into one vector. `parts`: Gemini's parts, of which some are media. */
export type EmbeddingInput = (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tokens'; readonly tokens: readonly number[] }
  | { readonly kind: 'parts'; readonly parts: readonly JsonObject[] }
) & {
  /** Of the document that it is or is taken from. */
  readonly title?: string;
};

export interface EmbeddingsRequest {
  readonly model: string;
  readonly inputs: readonly EmbeddingInput[];
  /** How the client asked: for one vector, or for a list of them. */
  readonly form: 'one' | 'list';
  readonly dimensions?: number;
  readonly encoding: 'float' | 'base64';
  /** What the vectors are for, in the client's word, e.g. `search_query` or `RETRIEVAL_DOCUMENT`. */
  readonly task?: string;
  /** Names of members that only the client's dialect knows. */
  readonly unsaid: readonly string[];
  /** Members as they came, for an upstream that speaks the client's own dialect. */
  readonly own?: JsonObject;
}

export interface EmbeddingsAnswer {
  readonly vectors: readonly (readonly number[])[];
  readonly usage: Usage | undefined;
}

/** The vectors in the order of the inputs; undefined where an answer has more or fewer than its inputs. */
export function joinVectors(
  said: readonly EmbeddingsAnswer[],
  pieces: readonly EmbeddingsRequest[],
): EmbeddingsAnswer | undefined {
  if (!said.every(({ vectors }, place) => vectors.length === pieces[place]?.inputs.length)) return undefined;
  return { vectors: said.flatMap(({ vectors }) => vectors), usage: sumUsage(said.map(({ usage }) => usage)) };
}
