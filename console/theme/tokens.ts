/** Colours, sizes and type of the console (console.md 2.1, 2.2): one place for the kit's theme and for own styles. */

export const fontFamily =
  'system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif';
export const monospace = 'ui-monospace, "SF Mono", Menlo, Consolas, monospace';

export type Scheme = 'light' | 'dark';

/** Text on the fill that belongs to it. */
interface TonePair {
  readonly text: string;
  readonly fill: string;
}

/** What a colour may say; also the variables `--tone-<name>-text` and `--tone-<name>-fill`. */
export const tones = {
  grey: { light: { text: '#434a56', fill: '#f0f2f5' }, dark: { text: '#c3c8d1', fill: '#262b33' } },
  blue: { light: { text: '#0b4fb3', fill: '#e6f0ff' }, dark: { text: '#8cb8ff', fill: '#14243d' } },
  green: { light: { text: '#1c6b2e', fill: '#e7f6ea' }, dark: { text: '#7fd694', fill: '#142a1a' } },
  lime: { light: { text: '#4a6300', fill: '#f1f7d8' }, dark: { text: '#c0d95c', fill: '#252b10' } },
  yellow: { light: { text: '#7a5b00', fill: '#fff6d1' }, dark: { text: '#e8c84a', fill: '#2e2709' } },
  orange: { light: { text: '#9a4400', fill: '#fff0e0' }, dark: { text: '#ffab66', fill: '#33200f' } },
  red: { light: { text: '#b3151f', fill: '#ffecec' }, dark: { text: '#ff9a9a', fill: '#3a1a1c' } },
  purple: { light: { text: '#5b2aa6', fill: '#f1eafd' }, dark: { text: '#c6a8ff', fill: '#251a3b' } },
  cyan: { light: { text: '#0a6470', fill: '#e2f6f8' }, dark: { text: '#6fd3df', fill: '#0f2a2e' } },
} as const satisfies Record<string, Record<Scheme, TonePair>>;

export type Tone = keyof typeof tones;

/** The kit calls two of them otherwise. */
export const kitColors: Readonly<Record<Tone, string>> = {
  grey: 'gray',
  blue: 'blue',
  green: 'green',
  lime: 'lime',
  yellow: 'yellow',
  orange: 'orange',
  red: 'red',
  purple: 'violet',
  cyan: 'cyan',
};

/** Surfaces, text and lines; also variables of the same names: `--page`, `--surface`, `--hairline`. */
export const roleColors = {
  light: {
    page: '#f6f7f9',
    surface: '#ffffff',
    raised: '#ffffff',
    text: '#1b1f26',
    muted: '#5a6270',
    placeholder: '#6b7280',
    'control-border': '#868d9a',
    hairline: '#e3e6ea',
    hover: '#f0f2f5',
    primary: '#0b57d0',
    link: '#0b57d0',
    danger: '#c62828',
    'danger-text': '#c62828',
    shadow: '0 4px 16px rgb(27 31 38 / 14%)',
  },
  dark: {
    page: '#0f1115',
    surface: '#17191e',
    raised: '#1d2027',
    text: '#e6e8ec',
    muted: '#a3abb8',
    placeholder: '#8b93a1',
    'control-border': '#6b7382',
    hairline: '#2b303a',
    hover: '#262b33',
    primary: '#1a62d6',
    link: '#8cb8ff',
    danger: '#b93333',
    'danger-text': '#ff8f8f',
    shadow: '0 4px 16px rgb(0 0 0 / 50%)',
  },
} as const satisfies Record<Scheme, Record<string, string>>;

type Shades = readonly [string, string, string, string, string, string, string, string, string, string];

const shades = (list: string): Shades => {
  const [a = '', b = '', c = '', d = '', e = '', f = '', g = '', h = '', i = '', j = ''] = list.split(' ');
  return [a, b, c, d, e, f, g, h, i, j];
};

/** The kit's colours, shade 0 to 9; white on shade 6 has at least 5.1, on shade 7 at least 5.6. */
export const colors = {
  gray: shades('#f6f7f9 #f0f2f5 #e3e6ea #c9ced6 #868d9a #6b7280 #5a6270 #434a56 #2f3540 #1b1f26'),
  blue: shades('#eef4ff #dbe8ff #bdd6fe #9cc1fd #7aaafd #4b8bfc #1a62d6 #0b57d0 #0145b0 #00358c'),
  green: shades('#eaf7ea #d3eed5 #b1e0b5 #8bcf93 #65bc72 #3ca050 #097f2f #076e27 #095b21 #044617'),
  lime: shades('#f0f5e7 #dfeccd #c8dca9 #aec980 #95b457 #78992c #5a770f #4e670b #3f5402 #304100'),
  yellow: shades('#f9f3e6 #f4e6cb #e8d3a4 #dbbc78 #cca54b #b3870e #89680c #775909 #634901 #4d3800'),
  orange: shades('#fff1e9 #ffe2d2 #fec9ae #fbac83 #f1915c #d97132 #b0510c #994609 #823801 #662a00'),
  red: shades('#fff0ef #ffe1dc #fec7c1 #fdaaa0 #ff877c #f8554d #cf2f2f #c62828 #9f000f #7c080e'),
  violet: shades('#f5f2ff #e9e3ff #d9cefd #c7b4ff #b59bfc #a075fa #7f52d3 #7041c2 #5f31a9 #4b228a'),
  cyan: shades('#eaf6f8 #d3ebf0 #b2dbe3 #8bc9d4 #65b5c3 #3c9aa9 #037887 #026875 #065560 #02434b'),
  dark: shades('#e6e8ec #c3c8d1 #a3abb8 #8b93a1 #3a404b #2b303a #1d2027 #17191e #0f1115 #0a0c0f'),
};

export const fontSizes = { xs: '12px', sm: '14px', md: '16px', lg: '20px', xl: '28px' };
export const spacing = { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' };
export const radius = { xs: '4px', sm: '6px', md: '8px', lg: '8px', xl: '8px' };

/** First width of a desktop (console.md 1.7). Style sheets name the same figure. */
export const desktopQuery = '(min-width: 1024px)';

/** Milliseconds: under the pointer, and of what slides in. */
export const durations = { hover: 120, drawer: 180 };
