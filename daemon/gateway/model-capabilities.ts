/** What a model may be asked for, as its name says and as far as a vendor serves it. Pure. */
import type { Capability } from '../relay/format.ts';
import { providerOf } from '../relay/providers/index.ts';

/** Models that draw and do nothing else, by the names of their families. */
export const DRAWING_NAME =
  /dall-e|gpt-image|imagen|flux|kontext|stable-diffusion|sdxl|sd-turbo|seedream|ideogram|banana|lucid-|phoenix-\d|wanx|kolors|cogview|qwen-image|irag|nova-canvas|titan-image|stable-image|^(?:us\.)?stability\./;

/** The first pattern that a name fits decides; whatever fits none converses. */
const kinds: readonly (readonly [RegExp, readonly Capability[]])[] = [
  [/^(?:mj|suno)_|^swap_face$/, ['tasks']],
  [/rerank/, ['rerank']],
  [/embed|bge|m3e/, ['embeddings']],
  [/moderation/, ['moderations']],
  // Some of these listen in real time, and are asked by call all the same.
  [/^gummy/, ['transcription', 'translation']],
  [/^paraformer|^fun-asr/, ['transcription']],
  [/realtime/, ['realtime']],
  [/whisper|transcri/, ['transcription', 'translation']],
  [/sensevoice|-asr(?:-|$)/, ['transcription']],
  [/tts|speech|cosyvoice/, ['speech']],
  [/dall-e-2/, ['images', 'image-edits', 'image-variations']],
  [DRAWING_NAME, ['images', 'image-edits']],
  [/-instruct-\d|davinci|babbage/, ['completions']],
];

/** Words of the capabilities; none for a channel type that is not known or does not serve such models. */
export function capabilitiesOf(channelType: number, model: string): readonly Capability[] {
  const adapter = providerOf(channelType);
  if (!adapter || adapter.retired) return [];
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  const wanted = kinds.find(([pattern]) => pattern.test(name))?.[1] ?? ['chat'];
  return wanted.filter((capability) => adapter.speaks[capability] !== undefined);
}
