/** What a request asked, in the units of its bill, where no upstream says (relay.md 5.7, 5.8, 14.3). */
import { usageOfFile } from '../relay/calls/audio.ts';
import { emptyUsage, type Usage } from '../relay/canonical/usage.ts';
import { usageOfSpeech } from '../relay/formats/openai-speech/index.ts';
import type { ImageSizes } from '../relay/tokens/prompt.ts';
import type { Endpoint } from './exchange.ts';
import type { Inspection } from './inspect.ts';
import type { PromptCounter } from './prompt-counter.ts';

const silence = { seconds: 0, estimated: true };

/** Characters that were to be read out, the length of what was to be heard, else tokens. */
export async function promptUsage(
  prompts: PromptCounter,
  { endpoint, inspection }: { endpoint: Endpoint; inspection: Inspection },
  sizesOf?: ImageSizes,
): Promise<Usage> {
  if (inspection.audio !== undefined) return usageOfFile(inspection.audio);
  if (endpoint.capability === 'speech') {
    const read = usageOfSpeech(inspection.json, silence, 0);
    if (read.units.characters !== undefined) return read;
  }
  return { ...emptyUsage('estimated'), prompt: await prompts.count(endpoint.format, inspection, sizesOf) };
}
