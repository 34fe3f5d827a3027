/** What is opened over the list: models to test, what tests found, keys, and where a call would go. */
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { lazyPart } from '../../components/late-part.tsx';
import { channels } from './channel-calls.ts';
import type { Panel } from './use-panel.ts';

const TestDialog = lazyPart(() => import('./test-dialog.tsx').then((m) => ({ default: m.TestDialog })));
const TestHistory = lazyPart(() => import('./test-history.tsx').then((m) => ({ default: m.TestHistory })));
const KeysPanel = lazyPart(() => import('./keys-panel.tsx').then((m) => ({ default: m.KeysPanel })));
const WhyPanel = lazyPart(() => import('./why-panel.tsx').then((m) => ({ default: m.WhyPanel })));

export interface ChannelPanelsProps {
  readonly panel: Panel;
  readonly onClose: () => void;
}

export function ChannelPanels({ panel, onClose }: ChannelPanelsProps) {
  const { name, id } = panel;
  // By the list: the call for one channel brings its key along.
  const { data, isPending } = useQuery({
    queryKey: ['channels', 'rows', 'one', id],
    queryFn: ({ signal }) => channels.list({ ids: String(id), page: 1, page_size: 1 }, { signal }),
    enabled: id !== undefined,
  });
  const channel = data?.items[0];
  if (name === 'why') {
    if (id !== undefined && isPending) return null;
    return (
      <Suspense fallback={null}>
        <WhyPanel key={id} channel={channel} onClose={onClose} />
      </Suspense>
    );
  }
  if (!channel) return null;
  return (
    <Suspense fallback={null}>
      {name === 'test' && <TestDialog key={id} channel={channel} onClose={onClose} />}
      {name === 'history' && <TestHistory key={id} channel={channel} onClose={onClose} />}
      {name === 'keys' && <KeysPanel key={id} channel={channel} onClose={onClose} />}
    </Suspense>
  );
}
