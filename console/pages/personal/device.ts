/** What a `User-Agent` says of a device, by the names that its owner knows. */

/** First match counts: most browsers also name the ones they come from. */
const programs: readonly (readonly [RegExp, string])[] = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/MicroMessenger\//, 'WeChat'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\/|Chromium\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/^tollgate/i, 'Tollgate CLI'],
  [/^curl\//, 'curl'],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPod/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];

export interface Device {
  /** "" where nothing is recognised. */
  readonly program: string;
  readonly system: string;
  readonly isHandheld: boolean;
}

export function deviceOf(userAgent: string): Device {
  return {
    program: programs.find(([sign]) => sign.test(userAgent))?.[1] ?? '',
    system: systems.find(([sign]) => sign.test(userAgent))?.[1] ?? '',
    isHandheld: /iPhone|iPod|iPad|Android|Mobile/.test(userAgent),
  };
}
