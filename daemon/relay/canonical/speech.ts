/** Speech between the formats: text in, sound out (relay.md 5.7). */
import type { Usage } from './usage.ts';

export interface SpeechRequest {
  readonly model: string;
  readonly input: string;
  readonly voice?: string;
  /** `mp3`, `opus`, `aac`, `flac`, `wav` or `pcm`; undefined: the format's own choice. */
  readonly form?: string;
  readonly speed?: number;
  readonly instructions?: string;
  /** Names of members that only the client's dialect knows. */
  readonly unsaid: readonly string[];
}

interface Spoken {
  readonly mediaType: string;
  /** As the vendor reports it; undefined: counted by the text and the length of the sound. */
  readonly usage: Usage | undefined;
}

/** The sound itself, or where it lies. */
export type SpeechAnswer = Spoken & ({ readonly bytes: Buffer } | { readonly address: string });
