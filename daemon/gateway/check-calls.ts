/** The limits that the contract names for calls that are no conversations (relay.md 5.5 to 5.12, 7.1). */
import { TollgateError } from '../errors.ts';
import { isObject, type Json, type JsonObject } from '../relay/json.ts';

export const MAX_EMBEDDING_INPUTS = 2048;
const MAX_DOCUMENTS = 1000;

/** A field that the client must change. */
export function refuse(field: string, rule: string): never {
  throw new TollgateError('invalid_request', { reason: `${field} ${rule}` }, { field });
}

export function isAbsent(value: Json | undefined): value is null | undefined {
  return value === undefined || value === null;
}

/** Throws `invalid_query` or `invalid_documents`. */
export function checkRerank(body: JsonObject): void {
  const { query, documents } = body;
  if (typeof query !== 'string' || query.trim() === '') {
    throw new TollgateError('invalid_query', {}, { field: 'query' });
  }
  if (!Array.isArray(documents) || documents.length === 0 || documents.length > MAX_DOCUMENTS) {
    throw new TollgateError('invalid_documents', { limit: MAX_DOCUMENTS }, { field: 'documents' });
  }
  if (documents.some((document) => typeof document !== 'string' && !isObject(document))) {
    throw new TollgateError('invalid_documents', { limit: MAX_DOCUMENTS }, { field: 'documents' });
  }
  const wanted = body.top_n;
  if (!isAbsent(wanted) && (typeof wanted !== 'number' || !Number.isInteger(wanted) || wanted < 1)) {
    refuse('top_n', 'must be a positive whole number');
  }
}

/** One content, or a list of requests with one each. */
export function checkGeminiEmbeddings(body: JsonObject): void {
  if (Array.isArray(body.requests)) {
    const { length } = body.requests;
    if (length === 0) refuse('requests', 'must be a non-empty array');
    if (length > MAX_EMBEDDING_INPUTS) refuse('requests', `must have at most ${MAX_EMBEDDING_INPUTS} entries`);
    for (const [index, entry] of body.requests.entries()) {
      if (!isObject(entry) || !isObject(entry.content)) refuse(`requests.${index}.content`, 'must be an object');
    }
  } else if (!isObject(body.content)) refuse('content', 'must be an object');
}

/** Contents, or a whole request for an answer. */
export function checkGeminiCount(body: JsonObject): void {
  const whole = body.generateContentRequest ?? body.generate_content_request;
  const { contents } = isObject(whole) ? whole : body;
  if (!Array.isArray(contents) || contents.length === 0) refuse('contents', 'must be a non-empty array');
}
