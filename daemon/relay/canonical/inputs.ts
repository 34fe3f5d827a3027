/** Calls about a list of inputs, where a vendor takes fewer of them at once (relay.md 5.5, 5.9). */
import { emptyUsage, type Usage } from './usage.ts';

interface Asked {
  readonly inputs: readonly unknown[];
}

/** Inputs in groups of at most so many. */
export function splitInputs<Request extends Asked>(asked: Request, atOnce: number): Request[] {
  const pieces: Request[] = [];
  for (let at = 0; at < asked.inputs.length; at += atOnce) {
    pieces.push({ ...asked, inputs: asked.inputs.slice(at, at + atOnce) });
  }
  return pieces;
}

/** What the answer to a piece took; of a vendor that does not tell, its share of the estimated prompt. */
export function inputsConsumed(
  { usage }: { readonly usage: Usage | undefined },
  piece: Asked,
  call: { readonly asked: Asked; readonly promptTokens: number },
): { readonly usage: Usage } {
  if (usage !== undefined) return { usage };
  const share = piece.inputs.length / Math.max(1, call.asked.inputs.length);
  return { usage: { ...emptyUsage('estimated'), prompt: Math.ceil(call.promptTokens * share) } };
}
