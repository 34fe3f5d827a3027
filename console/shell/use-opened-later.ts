import { useMounted } from '@mantine/hooks';

/**
 * Of what is loaded when it is first opened, and stays: the kit notes who had the focus when it opens, which it would not
 * see of what is open from its first drawing on.
 */
export function useOpenedLater(opened: boolean): boolean {
  return useMounted() && opened;
}
