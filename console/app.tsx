/** What surrounds every page: theme, data, routes. */
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { BrowserRouter } from 'react-router-dom';
import { queryClient } from './api/query-client.ts';
import { Routing } from './routing.tsx';
import { SingleEntry } from './session/single-entry.tsx';
import { theme } from './theme/theme.ts';

const colorScheme = localStorageColorSchemeManager({ key: 'theme-mode' });

export function App() {
  return (
    <MantineProvider
      theme={theme}
      colorSchemeManager={colorScheme}
      defaultColorScheme="auto"
      // The variables are a file, written when the console is built: a style element would need a looser policy.
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={queryClient}>
        <BrowserRouter>
          <SingleEntry>
            <Routing />
          </SingleEntry>
        </BrowserRouter>
      </QueryClientProvider>
    </MantineProvider>
  );
}
