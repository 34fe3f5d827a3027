/** What a piece of sound costs as part of a chat, by the time that it plays (relay.md 14.3). */
import { AudioMeter } from '../audio/audio-meter.ts';

/** Of a sound that lies elsewhere, or whose length nothing tells. */
const unknown = 256;
const perMinute = 1000;
/** Letters decoded at a time: four of them are three bytes. */
const sliceLength = 256 * 1024;

/** Tokens of a sound given as base64, as a data URL or as an address. */
export function audioPartTokens(data: string | undefined): number {
  if (data === undefined || /^https?:/i.test(data)) return unknown;
  const start = data.startsWith('data:') ? data.indexOf(',') + 1 : 0;
  const meter = new AudioMeter('file');
  for (let at = start; at < data.length; at += sliceLength) {
    meter.push(Buffer.from(data.slice(at, at + sliceLength), 'base64'));
  }
  const { seconds, estimated } = meter.facts();
  return estimated ? unknown : soundTokens(seconds);
}

/** Tokens of so many seconds of sound. */
export function soundTokens(seconds: number): number {
  return Math.ceil((seconds * perMinute) / 60);
}
