/** Inputs of embeddings for vendors that take nothing but text. */
import type { EmbeddingsRequest } from '../canonical/embeddings.ts';
import { inexpressible } from './fields.ts';

/** The texts of the inputs. Throws `convert_request_failed` for token ids and media. */
export function textsOf(asked: EmbeddingsRequest): string[] {
  return asked.inputs.map((input) => {
    if (input.kind === 'text') return input.text;
    const what = input.kind === 'tokens' ? 'lists of token ids' : 'parts other than text';
    throw inexpressible('input', `${what} cannot be sent to this channel`);
  });
}
