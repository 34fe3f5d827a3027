/** How long a sound plays: as it is told, and what a reader has found out of it so far. */

/** How long the audio of a call is. */
export interface AudioFacts {
  readonly seconds: number;
  /** The length is a guess by the number of bytes. */
  readonly estimated: boolean;
}

export interface Length {
  /** As headers and frames tell; undefined while they do not. */
  seconds: number | undefined;
  /** Samples whose number only the end of the file tells: where they begin, how many bytes there may be, and of what kind. */
  samples?: { readonly start: number; readonly bytes: number; readonly format: SampleFormat };
}

/** As the header of a WAV file states it. */
export interface SampleFormat {
  /** 1: plain numbers. */
  readonly kind: number;
  readonly channels: number;
  /** Samples a second of each channel. */
  readonly rate: number;
  /** Of all channels. */
  readonly bytesPerSecond: number;
  /** Of one sample. */
  readonly bits: number;
}
