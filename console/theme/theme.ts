/** The kit's theme and variables, made of the tokens. Also read by the build, so nothing here touches a browser. */
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';
import { componentDefaults } from './component-defaults.ts';
import {
  colors,
  fontFamily,
  fontSizes,
  kitColors,
  monospace,
  radius,
  roleColors,
  type Scheme,
  spacing,
  type Tone,
  tones,
} from './tokens.ts';

declare module '@mantine/core' {
  /** Only these, and own variables: of other colours of the kit the style sheet has nothing. */
  interface MantineThemeColorsOverride {
    colors: Record<keyof typeof colors | `var(${string})`, MantineColorsTuple>;
  }
}

const heading = (fontSize: string, lineHeight: string) => ({ fontSize, lineHeight, fontWeight: '600' });
const shadow = 'var(--shadow)';

export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: { light: 7, dark: 6 },
  black: '#1b1f26',
  colors,
  defaultRadius: 6,
  radius,
  fontFamily,
  fontFamilyMonospace: monospace,
  fontSizes,
  headings: {
    fontWeight: '600',
    sizes: {
      h1: heading('20px', '28px'),
      h2: heading('16px', '24px'),
      h3: heading('14px', '20px'),
      h4: heading('14px', '20px'),
      h5: heading('12px', '16px'),
      h6: heading('12px', '16px'),
    },
  },
  spacing,
  breakpoints: { sm: '601px', md: '1024px' },
  shadows: { xs: shadow, sm: shadow, md: shadow, lg: shadow, xl: shadow },
  cursorType: 'pointer',
  respectReducedMotion: true,
  // Pressed buttons would jump by a pixel.
  activeClassName: '',
  components: componentDefaults,
});

function toneVariables(scheme: Scheme): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, kitColor] of Object.entries(kitColors)) {
    // The keys of `kitColors` are the tones.
    const { text, fill } = tones[name as Tone][scheme];
    variables[`--tone-${name}-text`] = text;
    variables[`--tone-${name}-fill`] = fill;
    for (const kind of ['light', 'light-hover', 'outline-hover'])
      variables[`--mantine-color-${kitColor}-${kind}`] = fill;
    for (const kind of ['light-color', 'text', 'outline']) variables[`--mantine-color-${kitColor}-${kind}`] = text;
  }
  return variables;
}

function schemeVariables(scheme: Scheme): Record<string, string> {
  const roles = roleColors[scheme];
  return {
    ...toneVariables(scheme),
    ...Object.fromEntries(Object.entries(roles).map(([name, value]) => [`--${name}`, value])),
    '--mantine-color-text': roles.text,
    '--mantine-color-body': roles.surface,
    '--mantine-color-error': roles['danger-text'],
    '--mantine-color-success': tones.green[scheme].text,
    '--mantine-color-dimmed': roles.muted,
    '--mantine-color-placeholder': roles.placeholder,
    '--mantine-color-anchor': roles.link,
    '--mantine-color-default-color': roles.text,
    '--mantine-color-default-border': roles['control-border'],
    '--mantine-color-default-hover': roles.hover,
    '--mantine-color-disabled': roles.hover,
    '--mantine-color-disabled-color': roles.placeholder,
    '--mantine-color-disabled-border': roles.hairline,
  };
}

export const variables: CSSVariablesResolver = () => ({
  variables: {
    '--header-height': '56px',
    '--side-bar-width': '224px',
    '--rail-width': '56px',
    '--tone-border': 'transparent',
    '--motion-hover': '120ms ease-out',
    '--motion-drawer': '180ms ease-out',
  },
  light: schemeVariables('light'),
  dark: { ...schemeVariables('dark'), '--mantine-color-red-filled': roleColors.dark.danger },
});
