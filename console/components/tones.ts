/** Which tone a value has (console.md 5): thresholds of times and ratios, stable tones of names. */

import type { Tone } from '../theme/tokens.ts';

export type { Tone };

export function groupRatioTone(ratio: number): Tone {
  if (ratio > 5) return 'red';
  if (ratio > 3) return 'orange';
  return ratio > 1 ? 'blue' : 'green';
}

/** Of a channel's test, in seconds; 0 was not tested. */
export function responseTimeTone(seconds: number): Tone {
  if (seconds === 0) return 'grey';
  if (seconds <= 1) return 'green';
  if (seconds <= 3) return 'lime';
  return seconds <= 5 ? 'yellow' : 'red';
}

export function firstTokenTone(seconds: number): Tone {
  if (seconds < 3) return 'green';
  return seconds < 10 ? 'orange' : 'red';
}

export function totalTimeTone(seconds: number): Tone {
  if (seconds < 101) return 'green';
  return seconds < 300 ? 'orange' : 'red';
}

const nameTones: readonly Tone[] = ['blue', 'green', 'cyan', 'purple', 'lime', 'orange'];

/** The same tone for a name on every page and in every session. */
export function nameTone(name: string): Tone {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return nameTones[hash % nameTones.length] ?? 'blue';
}

export function groupTone(name: string): Tone {
  if (name === 'vip' || name === 'pro') return 'yellow';
  if (name === 'svip' || name === 'premium') return 'red';
  return nameTone(name);
}
