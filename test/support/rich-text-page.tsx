/** Draws rich texts for the corpus test: `drawRichText(kind, text)` in an empty document. */
import { MantineProvider } from '@mantine/core';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { AdminText } from '../../console/components/rich-admin.tsx';
import { UntrustedText } from '../../console/components/rich-untrusted.tsx';

function draw(kind: 'admin' | 'untrusted', text: string): string {
  const place = document.createElement('div');
  document.body.replaceChildren(place);
  const root = createRoot(place);
  flushSync(() =>
    root.render(
      <MantineProvider withCssVariables={false} withGlobalClasses={false}>
        {kind === 'admin' ? <AdminText text={text} /> : <UntrustedText text={text} />}
      </MantineProvider>,
    ),
  );
  return place.innerHTML;
}

Object.assign(window, { drawRichText: draw });
