/** MokaAI M3E and self-hosted M3E servers: embeddings alone. Source: providers/moka.md, read 2026-11. */
import { inexpressible } from '../../formats/fields.ts';
import type { Json, JsonObject } from '../../json.ts';
import { openaiCompatible } from '../openai-compatible.ts';

function fitM3e(body: JsonObject): void {
  const { input, model } = body;
  for (const field of Object.keys(body)) if (field !== 'model' && field !== 'input') delete body[field];
  if (model !== undefined) body.model = model;
  const texts: Json[] = Array.isArray(input) ? input : [input ?? ''];
  // Left out, they would leave fewer vectors than texts, or none.
  if (texts.some((text) => typeof text === 'number' || Array.isArray(text))) {
    throw inexpressible('input', 'lists of token ids cannot be sent to this channel');
  }
  body.input = texts.filter((text) => typeof text === 'string');
}

export const moka = openaiCompatible({
  id: 'moka',
  owner: 'moka',
  label: { en: 'M3E embedding', zh: '嵌入模型：MokaAI M3E' },
  channelType: 44,
  baseUrl: 'https://api.moka.ai',
  speaks: { embeddings: ['openai-embeddings'] },
  // No version in the path; servers that have one carry it in their address.
  path: () => '/embeddings',
  failures: [
    { status: [401, 403], means: 'bad-key' },
    { status: 404, means: 'no-model' },
  ],
  amend: fitM3e,
  models: ['m3e-large', 'm3e-base', 'm3e-small'],
});
