/** Every enumeration that the console shows: tone and text of its values (console.md 5). */
import type { Tone } from './tones.ts';

export interface EnumerationEntry {
  readonly tone: Tone;
  /** Key in the catalogue `enumerations`, under `label`. */
  readonly label: string;
}

export interface Enumeration {
  readonly values: Readonly<Record<string, EnumerationEntry>>;
  /** For any other value; absent: the raw value in grey. */
  readonly other?: EnumerationEntry;
}

const entry = (tone: Tone, label: string): EnumerationEntry => ({ tone, label });

const enabled = entry('green', 'enabled');
const disabled = entry('red', 'disabled');
const unknown = entry('grey', 'unknown');

const drawingStatus = {
  SUCCESS: entry('green', 'success'),
  NOT_START: entry('grey', 'notStarted'),
  SUBMITTED: entry('yellow', 'queued'),
  IN_PROGRESS: entry('blue', 'inProgress'),
  FAILURE: entry('red', 'failed'),
  MODAL: entry('yellow', 'waitingForInput'),
};

const tables = {
  role: {
    values: { 1: entry('blue', 'roleUser'), 10: entry('yellow', 'roleAdmin'), 100: entry('orange', 'roleRoot') },
    other: entry('red', 'roleUnknown'),
  },
  /** `deleted` for a row with `DeletedAt`. */
  userStatus: {
    values: {
      1: enabled,
      2: entry('red', 'banned'),
      3: entry('grey', 'unavailable'),
      deleted: entry('grey', 'loggedOut'),
    },
  },
  channelStatus: {
    values: { 1: enabled, 2: disabled, 3: entry('yellow', 'autoDisabled') },
    other: entry('grey', 'unknownStatus'),
  },
  /** `limited` for an enabled one with limits of its models. */
  tokenStatus: {
    values: {
      1: enabled,
      limited: entry('green', 'enabledLimited'),
      2: disabled,
      3: entry('yellow', 'expired'),
      4: entry('grey', 'exhausted'),
    },
    other: entry('grey', 'unknownStatus'),
  },
  codeStatus: { values: { 1: entry('green', 'unused'), 2: disabled, 3: entry('grey', 'used') }, other: unknown },
  /** `failed` for a call of type 2 that was not served. */
  logType: {
    values: {
      0: entry('grey', 'logAll'),
      1: entry('cyan', 'logTopUp'),
      2: entry('lime', 'logConsume'),
      3: entry('orange', 'logManage'),
      4: entry('purple', 'logSystem'),
      5: entry('blue', 'logCheckIn'),
      failed: entry('red', 'failed'),
    },
    other: unknown,
  },
  drawingAction: {
    values: {
      IMAGINE: entry('blue', 'imagine'),
      UPSCALE: entry('orange', 'upscale'),
      VARIATION: entry('purple', 'variation'),
      HIGH_VARIATION: entry('purple', 'highVariation'),
      LOW_VARIATION: entry('purple', 'lowVariation'),
      PAN: entry('cyan', 'pan'),
      DESCRIBE: entry('yellow', 'describe'),
      BLEND: entry('lime', 'blend'),
      UPLOAD: entry('blue', 'upload'),
      SHORTEN: entry('cyan', 'shorten'),
      REROLL: entry('blue', 'reroll'),
      INPAINT: entry('purple', 'inpaint'),
      ZOOM: entry('cyan', 'zoom'),
      CUSTOM_ZOOM: entry('cyan', 'customZoom'),
      MODAL: entry('green', 'modal'),
      SWAP_FACE: entry('green', 'swapFace'),
      EDITS: entry('lime', 'edits'),
      VIDEO: entry('orange', 'video'),
    },
    other: unknown,
  },
  drawingCode: {
    values: {
      0: entry('yellow', 'notSubmitted'),
      1: entry('green', 'submitted'),
      21: entry('lime', 'waiting'),
      22: entry('orange', 'duplicate'),
    },
    other: unknown,
  },
  drawingStatus: { values: drawingStatus, other: unknown },
  taskStatus: {
    values: {
      ...drawingStatus,
      QUEUED: entry('orange', 'inQueue'),
      UNKNOWN: unknown,
      '': entry('grey', 'submitting'),
    },
    other: unknown,
  },
  taskAction: { values: { MUSIC: entry('purple', 'music'), LYRICS: entry('cyan', 'lyrics') }, other: unknown },
  orderStatus: {
    values: {
      pending: entry('yellow', 'pendingPayment'),
      success: entry('green', 'success'),
      failed: entry('red', 'failed'),
      expired: entry('grey', 'expired'),
    },
    other: unknown,
  },
  taskPlatform: { values: { suno: entry('green', 'suno') } },
} as const satisfies Record<string, Enumeration>;

export type EnumerationKind = keyof typeof tables;

export const enumerations: Readonly<Record<EnumerationKind, Enumeration>> = tables;

/** Undefined for a value that the table does not name and has no word for. */
export function enumerationEntry(kind: EnumerationKind, value: string | number): EnumerationEntry | undefined {
  const { values, other } = enumerations[kind];
  return Object.hasOwn(values, value) ? values[value] : other;
}
