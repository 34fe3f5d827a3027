/**
 * The thread that counts tokens by vocabulary, so that no text, however odd, holds up the event loop.
 */
import { parentPort } from 'node:worker_threads';
import { type CountTokens, loadVocabulary, type VocabularyName } from './tokenizer.ts';

/** What the thread is asked. */
export interface CountRequest {
  readonly id: number;
  readonly vocabulary: VocabularyName;
  readonly texts: readonly string[];
}

/** What it answers: the tokens of all texts together. */
export interface CountReply {
  readonly id: number;
  readonly tokens: number;
}

const loaded = new Map<VocabularyName, Promise<CountTokens>>();

function load(vocabulary: VocabularyName): Promise<CountTokens> {
  let counting = loaded.get(vocabulary);
  if (counting === undefined) loaded.set(vocabulary, (counting = loadVocabulary(vocabulary)));
  return counting;
}

parentPort?.on('message', async ({ id, vocabulary, texts }: CountRequest) => {
  const count = await load(vocabulary);
  let tokens = 0;
  for (const text of texts) tokens += count(text);
  const reply: CountReply = { id, tokens };
  parentPort?.postMessage(reply);
});
