/** Transcripts between the formats: a file with sound in, its words out (relay.md 5.8). */
import type { Usage } from './usage.ts';

export interface TranscriptionRequest {
  readonly model: string;
  /** The file, in base64. */
  readonly audio: { readonly mediaType: string; readonly data: string };
  /** ISO 639 code of the language that is spoken. */
  readonly language?: string;
  readonly prompt?: string;
  /** `json`, `text`, `verbose_json`, `srt`, `vtt` or whatever else the client wants. */
  readonly form: string;
  /** Names of members that only the client's dialect knows. */
  readonly unsaid: readonly string[];
}

export interface TranscriptionAnswer {
  readonly text: string;
  /** As the vendor names it. */
  readonly language?: string;
  /** Undefined: by the length of the file. */
  readonly usage: Usage | undefined;
}
