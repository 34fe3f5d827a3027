/** The kit's theme, made of the tokens. */
import { type CSSVariablesResolver, createTheme } from '@mantine/core';
import { fontFamily, monospace } from './tokens.ts';

export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: { light: 7, dark: 6 },
  black: '#1b1f26',
  defaultRadius: 6,
  fontFamily,
  fontFamilyMonospace: monospace,
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  breakpoints: { sm: '601px', md: '1024px' },
});

export const variables: CSSVariablesResolver = () => ({ variables: {}, light: {}, dark: {} });
