/** Zhipu's moderation, which judges one input a call in words of its own. Source: docs.bigmodel.cn, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { ModerationAnswer, ModerationRequest, ModerationVerdict } from '../../canonical/moderation.ts';
import type { JsonObject } from '../../json.ts';
import { asObject, asObjects, asTexts, asWord, inexpressible, present } from '../fields.ts';
import { loseUnsaid } from '../openai-embeddings/index.ts';

export const zhipuModerations: UpstreamCallFormat<ModerationRequest, ModerationAnswer> = {
  id: 'zhipu-moderations',

  encodeRequest({ model, inputs, unsaid }, scope) {
    loseUnsaid({ unsaid }, scope);
    const [input] = inputs;
    if (input?.kind === 'text') return { body: { model, input: input.text } };
    return { body: { model, input: (input?.parts ?? []).map(encodePart) } };
  },

  decodeAnswer(body) {
    if (asObject(body.error) !== undefined) return { kind: 'error', body };
    const judged = asObjects(body.result_list);
    // What bears no verdict must not pass for harmless.
    if (judged.length === 0 || judged.some((one) => asWord(one.risk_level) === undefined))
      return { kind: 'unreadable' };
    return { ...present({ id: asWord(body.id) }), verdicts: [verdictOf(judged)], usage: undefined };
  },
};

function encodePart(part: JsonObject): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text ?? '' };
  const url = asWord(asObject(part.image_url)?.url);
  if (part.type !== 'image_url' || url === undefined) throw inexpressible('input', 'must be texts and images');
  return { type: 'image_url', image_url: { url } };
}

/** How sure each word is; any other is none that clears the input. */
const levels: Readonly<Record<string, number>> = { PASS: 0, REVIEW: 0.5 };

/** OpenAI's names for the kinds that the vendor's reference lists; its own word stands beside. */
const kinds: readonly (readonly [RegExp, string])[] = [
  [/黄|色情|porn|sex/i, 'sexual'],
  [/暴|violen/i, 'violence'],
  [/违法|违规|illegal|illicit/i, 'illicit'],
];

/** One verdict of all that was judged: an answer may come in pieces, and parts belong together. */
function verdictOf(judged: readonly JsonObject[]): ModerationVerdict {
  const found: Record<string, number> = {};
  let worst = 0;
  for (const one of judged) {
    const score = levels[asWord(one.risk_level)?.toUpperCase() ?? ''] ?? 1;
    worst = Math.max(worst, score);
    if (score === 0) continue;
    for (const word of asTexts(one.risk_type)) {
      const names = kinds.flatMap(([pattern, name]) => (pattern.test(word) ? [name] : []));
      for (const name of [word, ...names]) found[name] = Math.max(found[name] ?? 0, score);
    }
  }
  return { flagged: worst > 0, found };
}
