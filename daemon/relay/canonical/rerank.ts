/** Reranking between the formats: a query and documents in, scores out (relay.md 5.12). */
import type { Json, JsonObject } from '../json.ts';
import type { Usage } from './usage.ts';

export interface RerankRequest {
  readonly model: string;
  readonly query: string;
  /** Texts, or objects of the client's own making. */
  readonly documents: readonly Json[];
  readonly topN?: number;
  readonly returnDocuments: boolean;
  /** Names of members that only the client's dialect knows. */
  readonly unsaid: readonly string[];
  /** These members as they came, for an upstream that knows some of them. */
  readonly own: JsonObject;
}

export interface RankedDocument {
  /** Position among the documents of the request. */
  readonly index: number;
  readonly score: number;
}

export interface RerankAnswer {
  readonly id?: string;
  readonly results: readonly RankedDocument[];
  readonly usage: Usage | undefined;
}
