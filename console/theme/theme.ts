/** The kit's theme, made of the tokens. Also read by the build, so nothing here touches a browser. */
import { createTheme, type MantineColorsTuple } from '@mantine/core';
import { componentDefaults } from './component-defaults.ts';
import { colors, fontFamily, fontSizes, monospace, radius, spacing } from './tokens.ts';

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
