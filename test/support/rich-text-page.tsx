/** Draws rich texts for the corpus test: `drawRichText(kind, text)` in an empty document, `redrawRichText` over the one before. */
import { MantineProvider } from '@mantine/core';
import { flushSync } from 'react-dom';
import { createRoot, type Root } from 'react-dom/client';
import { AdminText } from '../../console/components/rich-admin.tsx';
import { UntrustedText } from '../../console/components/rich-untrusted.tsx';

type Kind = 'admin' | 'untrusted';

let root: Root | undefined;

function draw(kind: Kind, text: string): string {
  const place = document.createElement('div');
  document.body.replaceChildren(place);
  root = createRoot(place);
  return redraw(kind, text);
}

function redraw(kind: Kind, text: string): string {
  flushSync(() =>
    root?.render(
      <MantineProvider withCssVariables={false} withGlobalClasses={false}>
        {kind === 'admin' ? <AdminText text={text} /> : <UntrustedText text={text} />}
      </MantineProvider>,
    ),
  );
  return document.body.firstElementChild?.innerHTML ?? '';
}

Object.assign(window, { drawRichText: draw, redrawRichText: redraw });
