/** Moderation as OpenAI's clients ask for it, for upstreams that judge in words of their own (relay.md 5.9). */
import { type ClientCallFormat, jsonAnswer } from '../../call-format.ts';
import type {
  ModerationAnswer,
  ModerationInput,
  ModerationRequest,
  ModerationVerdict,
} from '../../canonical/moderation.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asList, asWord, invalid, onlyObjects, remainder } from '../fields.ts';

const known = new Set(['model', 'input']);

/** OpenAI's own, each of which its clients look for in every verdict. */
const categories = [
  'harassment',
  'harassment/threatening',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'self-harm',
  'self-harm/instructions',
  'self-harm/intent',
  'sexual',
  'sexual/minors',
  'violence',
  'violence/graphic',
];

export const openaiModerations: ClientCallFormat<ModerationRequest, ModerationAnswer> = {
  id: 'openai-moderations',

  decodeRequest(body) {
    return {
      model: asWord(body.model) ?? '',
      inputs: inputsOf(body.input),
      unsaid: Object.keys(remainder(body, known)),
    };
  },

  encodeAnswer({ id, verdicts, usage }, asked, scope) {
    const results = verdicts.map((verdict, place) => resultOf(verdict, kindsOf(asked.inputs[place])));
    return jsonAnswer({ id: id ?? scope.newId('modr-'), model: scope.model, results }, { usage });
  },
};

/** A list of texts is judged text by text, a list of parts as a whole. */
function inputsOf(input: Json | undefined): ModerationInput[] {
  if (typeof input === 'string') return [{ kind: 'text', text: input }];
  const list = asList(input);
  if (list.length === 0) throw invalid('input', 'must be a string or a non-empty array');
  const texts = list.filter((entry) => typeof entry === 'string');
  if (texts.length === list.length) return texts.map((text) => ({ kind: 'text', text }));
  return [{ kind: 'parts', parts: onlyObjects(input, 'input') }];
}

function kindsOf(input: ModerationInput | undefined): string[] {
  if (input?.kind !== 'parts') return ['text'];
  return [...new Set(input.parts.map(({ type }) => (type === 'image_url' ? 'image' : 'text')))];
}

function resultOf({ flagged, found }: ModerationVerdict, kinds: string[]): JsonObject {
  const names = [...new Set([...categories, ...Object.keys(found)])];
  const each = (value: (name: string) => Json) => Object.fromEntries(names.map((name) => [name, value(name)]));
  return {
    flagged,
    categories: each((name) => (found[name] ?? 0) > 0),
    category_scores: each((name) => found[name] ?? 0),
    category_applied_input_types: each(() => kinds),
  };
}
