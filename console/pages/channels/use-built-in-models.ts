/** The names of models that come with the daemon: those of a type, and all of them. */
import { useQuery } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { readJson, writeJson } from '../../session/storage.ts';
import { builtInModels, channels } from './channel-calls.ts';

const storageKey = 'channel_models';
const dayMs = 86_400_000;

const Kept = z.object({ at: z.number(), byType: z.record(z.string(), z.array(z.string())) });

function kept(): z.infer<typeof Kept> | undefined {
  const parsed = z.safeParse(Kept, readJson(storageKey));
  return parsed.success && Date.now() - parsed.data.at < dayMs ? parsed.data : undefined;
}

const none: readonly string[] = [];

/** The list of a type, kept in this browser for a day. */
export function useModelsOfType(type: number | undefined): readonly string[] {
  const { data } = useQuery({
    queryKey: ['channels', 'models-of-types'],
    queryFn: async ({ signal }) => {
      const known = kept();
      if (known) return known.byType;
      const byType = await builtInModels.byChannelType({}, { signal });
      writeJson(storageKey, { at: Date.now(), byType });
      return byType;
    },
    staleTime: dayMs,
    enabled: type !== undefined,
  });
  return data?.[String(type)] ?? none;
}

/** All there are, in their order. */
export function useEveryModel(): readonly string[] {
  const { data = none } = useQuery({
    queryKey: ['channels', 'every-model'],
    queryFn: async ({ signal }) => (await channels.builtInModels({}, { signal })).map(({ id }) => id),
    staleTime: dayMs,
  });
  return data;
}
