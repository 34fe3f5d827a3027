/** Colours, sizes and type of the console (console.md 2.1, 2.2): one place for the kit's theme and for own styles. */

export const fontFamily =
  'system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif';
export const monospace = 'ui-monospace, "SF Mono", Menlo, Consolas, monospace';

export type Tone = 'gray' | 'blue' | 'green' | 'lime' | 'yellow' | 'orange' | 'red' | 'grape' | 'cyan';
