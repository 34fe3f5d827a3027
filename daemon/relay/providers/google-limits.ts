/** What one request to Google's interfaces may ask for. Source: providers/gemini.md and vertex.md, read 2026-11. */
import type { UpstreamCall } from '../provider.ts';

type Asked = Pick<UpstreamCall, 'capability' | 'model'>;

const embeddings = 100;

/** Imagen makes a few images a call, Gemini's own models one. */
function images(model: string): number {
  return /^imagen/.test(model) ? 4 : 1;
}

/** The limits of the Generative Language API. */
export function googleAtOnce({ capability, model }: Asked): number | undefined {
  if (capability === 'embeddings') return embeddings;
  return capability === 'images' || capability === 'image-edits' ? images(model) : undefined;
}

/** The limits of Vertex AI, where the newest embedding models take one text a request. */
export function vertexAtOnce({ capability, model }: Asked): number | undefined {
  if (capability !== 'embeddings') return googleAtOnce({ capability, model });
  return model.startsWith('gemini-embedding') ? 1 : 250;
}
