/** Transcripts between the formats: a file with sound in, its words out (relay.md 5.8). */
import type { Usage } from './usage.ts';

export interface TranscriptionRequest {
  readonly model: string;
  /** The file, in base64. */
  readonly audio: { readonly mediaType: string; readonly data: string };
  /** `translate`: told in English, whatever is spoken. */
  readonly task: 'transcribe' | 'translate';
  /** ISO 639 code of the language that is spoken. */
  readonly language?: string;
  readonly prompt?: string;
  /** `json`, `text`, `verbose_json`, `srt`, `vtt`, `diarized_json` (who said what) or whatever else the client wants. */
  readonly form: string;
  /** The client wants to know when each word was said. */
  readonly wordTimes: boolean;
  /** Names of members that only the client's dialect knows. */
  readonly unsaid: readonly string[];
}

/** Text, and when it was said: seconds from the beginning of the file. */
export interface TimedText {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A sentence, and who said it. */
export interface Segment extends TimedText {
  /** `A` for the first, and so on; undefined where nobody asked, or the vendor does not tell. */
  readonly speaker?: string;
}

export interface Transcript {
  readonly text: string;
  /** As the vendor names it. */
  readonly language?: string;
  /** Sentence by sentence; undefined where the vendor tells no times. */
  readonly segments?: readonly Segment[];
  readonly words?: readonly TimedText[];
}

/** A transcript that lies at an address, and the reader of what lies there; undefined for what is none. */
export interface StoredTranscript {
  readonly address: string;
  readonly read: (file: Buffer) => Transcript | undefined;
}

export type TranscriptionAnswer = (Transcript | StoredTranscript) & {
  /** Undefined: by the length of the file. */
  readonly usage: Usage | undefined;
};
