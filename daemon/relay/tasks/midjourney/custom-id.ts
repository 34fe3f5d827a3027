/** What a button of a drawing does, by its `customId` (relay.md 8.3). Source: providers/midjourney.md, read 2026-11. */

/** The action, or the published word for what is wrong. */
export type ButtonReading = { readonly action: string } | { readonly refusal: string };

/** Buttons whose word alone says it. */
const WHOLE_WORDS: ReadonlyMap<string, string> = new Map([
  ['low_variation', 'LOW_VARIATION'],
  ['high_variation', 'HIGH_VARIATION'],
  ['Outpaint', 'ZOOM'],
  ['CustomZoom', 'CUSTOM_ZOOM'],
  ['Inpaint', 'INPAINT'],
  // Buttons under a description: one of its prompts is drawn, or it is made anew.
  ['PicReader', 'IMAGINE'],
  ['Picread', 'DESCRIBE'],
]);

/** Reads `MJ::JOB::upsample::1::hash` and its like; missing parts are a refusal. */
export function readButton(customId: string): ButtonReading {
  const parts = customId.split('::');
  const isJob = parts[1]?.toUpperCase() === 'JOB';
  const [word = '', index = ''] = parts.slice(isJob ? 2 : 1);
  const known = WHOLE_WORDS.get(word);
  if (known !== undefined) return { action: known };
  if (word === 'upsample' || word === 'variation') {
    if (!/^[1-9]\d?$/.test(index)) return { refusal: 'index_parse_failed' };
    return { action: word === 'upsample' ? 'UPSCALE' : 'VARIATION' };
  }
  if (word.includes('upsample')) return { action: 'UPSCALE' };
  if (word.includes('reroll')) return { action: 'REROLL' };
  if (word.startsWith('animate_') || word.startsWith('video')) return { action: 'VIDEO' };
  // `pan_left` and its like; nothing of ours may be taken for it by chance.
  if (word === 'pan' || word.startsWith('pan_')) return { action: 'PAN' };
  return { refusal: `unknown_action:${customId}` };
}
