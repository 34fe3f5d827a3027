/** The kit's variables and ours, made of the tokens: read by the build alone, which writes them to a style sheet. */
import type { CSSVariablesResolver } from '@mantine/core';
import { kitColors, roleColors, type Scheme, type Tone, tones } from './tokens.ts';

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
