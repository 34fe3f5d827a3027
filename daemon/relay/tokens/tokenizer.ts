/**
 * The vocabularies of OpenAI's models, loaded when first needed: each costs a fifth of a second and tens of megabytes,
 * which is why only the worker thread holds them.
 */

export type VocabularyName = 'o200k_base' | 'cl100k_base';

const newModels = /^(?:chatgpt-4o|gpt-4o|gpt-4\.1|gpt-4\.5|gpt-[56]|gpt-oss|gpt-realtime|gpt-audio|o[134])(?:$|[-.])/;
const oldModels = /^(?:gpt-|text-embedding-|text-davinci-00|davinci-00|babbage-00|omni-moderation|text-moderation)/;

/** Whether vendors without a vocabulary of their own are estimated, or counted by an older one of OpenAI's. */
export type EstimatorChoice = 'on' | 'off';

/** The vocabulary that counts for a model (relay.md 14.3); undefined: only an estimate can tell. */
export function vocabularyOf(model: string, estimator: EstimatorChoice): VocabularyName | undefined {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  if (newModels.test(name)) return 'o200k_base';
  return oldModels.test(name) || estimator === 'off' ? 'cl100k_base' : undefined;
}

/** Counts the tokens of one text. */
export type CountTokens = (text: string) => number;

/** Loads a vocabulary. */
export async function loadVocabulary(name: VocabularyName): Promise<CountTokens> {
  const { countTokens } =
    name === 'o200k_base'
      ? await import('gpt-tokenizer/encoding/o200k_base')
      : await import('gpt-tokenizer/encoding/cl100k_base');
  // Words that steer a model are plain text when a user writes them.
  const options = { disallowedSpecial: new Set<string>() };
  return (text) => {
    let tokens = 0;
    for (const piece of shortRuns(text)) tokens += countTokens(piece, options);
    return tokens;
  };
}

// It begins where a run does, or a text of many shorter runs would be looked through from every place of each.
const longRun = /(?<!\S)\S{512,}/;
const runLength = 256;

/** A run without any space takes quadratic time; cutting it changes the count by a token or two. */
function* shortRuns(text: string): Generator<string> {
  let rest = text;
  for (let found = longRun.exec(rest); found !== null; found = longRun.exec(rest)) {
    if (found.index > 0) yield rest.slice(0, found.index);
    const end = found.index + found[0].length;
    for (let at = found.index; at < end; at += runLength) yield rest.slice(at, Math.min(end, at + runLength));
    rest = rest.slice(end);
  }
  if (rest !== '') yield rest;
}
