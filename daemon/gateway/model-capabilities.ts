/** What a model may be asked for, as its name says and as far as a vendor serves it. Pure. */
import type { Capability } from '../relay/format.ts';
import { providerOf } from '../relay/providers/index.ts';

/** Models that draw and do nothing else, by the names of their families. */
export const DRAWING_NAME =
  /dall-e|gpt-image|imagen|flux|kontext|stable-diffusion|sdxl|sd-turbo|seedream|seededit|ideogram|banana|lucid-|phoenix-\d|wanx|-t2i|kolors|cogview|(?:^|-)image(?:-|$)|irag|nova-canvas|^(?:us\.)?stability\./;

/** The first pattern that a name fits decides; whatever fits none converses. */
const kinds: readonly (readonly [RegExp, readonly Capability[]])[] = [
  [/^(?:mj|suno)_|^swap_face$/, ['tasks']],
  [/rerank/, ['rerank']],
  [/embed|bge|m3e|jina-(?:clip|colbert)|^(?:embo-|tao-8k|all-minilm)|(?:^|-)(?:gte|e5)-/, ['embeddings']],
  [/moderation/, ['moderations']],
  // Some of these listen in real time, and are asked by call all the same.
  [/^gummy/, ['transcription', 'translation']],
  [/^paraformer|^fun-asr/, ['transcription']],
  [/realtime/, ['realtime']],
  [/whisper|transcri/, ['transcription', 'translation']],
  [/sensevoice|-asr(?:-|$)/, ['transcription']],
  [/tts|speech|cosyvoice|^sambert-|^aura-\d/, ['speech']],
  [/video|^sora-|^veo-|seedance|hailuo|-[ti]2v/, []],
  [/gemini-.*image/, ['chat', 'images', 'image-edits']],
  [/dall-e-2/, ['images', 'image-edits', 'image-variations']],
  [DRAWING_NAME, ['images', 'image-edits']],
  [/^gpt-3\.5-turbo-instruct|davinci|babbage/, ['completions']],
];

/** What a model of this name is asked for, by whoever serves it; its vendor's part of the name does not matter. */
export function capabilitiesNamed(model: string): readonly Capability[] {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return kinds.find(([pattern]) => pattern.test(name))?.[1] ?? ['chat'];
}

/** Words of the capabilities; none for a channel type that is not known or does not serve such models. */
export function capabilitiesOf(channelType: number, model: string): readonly Capability[] {
  const adapter = providerOf(channelType);
  if (!adapter || adapter.retired) return [];
  return capabilitiesNamed(model).filter((capability) => adapter.speaks[capability] !== undefined);
}
