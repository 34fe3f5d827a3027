/** What the first screen says that somebody should look after: lost nodes, models without a price, the server's warnings. */
import type { SystemView } from '../../daemon/contract/system.ts';
import { both, type Say } from '../language.ts';

/** Models that are offered and have no price: how many, and one of them. */
export interface UnpricedModels {
  readonly total: number;
  readonly example: string;
}

export const noneUnpriced: UnpricedModels = { total: 0, example: '' };

export function notesOf(
  { system, unpriced }: { readonly system: SystemView | undefined; readonly unpriced: UnpricedModels },
  say: Say,
): readonly string[] {
  const { nodes = [], warnings = [] } = system ?? {};
  const lost = nodes
    .filter(({ alive }) => !alive)
    .map(({ address }) => say(both(`node ${address} is not heard of`, `节点 ${address} 失联`)));
  return [...lost, ...unpricedNotes(unpriced, say), ...warnings.map(({ message }) => message)];
}

function unpricedNotes({ total, example }: UnpricedModels, say: Say): readonly string[] {
  if (total === 0) return [];
  const command = ': model list --unpriced';
  const text =
    total === 1
      ? both(`${example} has no price (${command})`, `模型 ${example} 未定价（${command}）`)
      : both(
          `${total} offered models have no price, as ${example} (${command})`,
          `${total} 个模型未定价，例如 ${example}（${command}）`,
        );
  return [say(text)];
}
