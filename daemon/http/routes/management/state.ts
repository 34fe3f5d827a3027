/** Routes of declared state (cli.md 4). */
import type { ParsedInputOf } from '../../../contract/endpoint.ts';
import { contract } from '../../../contract/index.ts';
import { type StateKind, stateKinds } from '../../../contract/state-document.ts';
import type { DeclaredSets } from '../../../domain/declared-sets.ts';
import type { DeclaredState, StateWish } from '../../../domain/declared-state.ts';
import { TollgateError } from '../../../errors.ts';
import { implement, type Route } from '../../implement.ts';
import { presentOwnedObject, presentStatePlan, presentStateSet } from '../../present/state.ts';

export interface StateRouteDeps {
  readonly state: DeclaredState;
  readonly sets: DeclaredSets;
}

export const stateRoutes = ({ state, sets }: StateRouteDeps): Route[] => [
  implement(contract.state.export, async ({ actor, input }) => {
    const { document, secrets } = await state.export(actor, {
      kinds: kindsOf(input.kinds),
      tag: input.tag,
      setName: input.set,
    });
    return { document: { ...document }, secrets: [...secrets] };
  }),
  implement(contract.state.plan, async ({ actor, input, request }) => {
    const plan = await state.plan(actor, wishOf(input));
    return presentStatePlan(plan, request.language, input.unmanaged ? 'told' : 'left out');
  }),
  implement(contract.state.apply, async ({ actor, input, request }) => {
    const wish = { ...wishOf(input), planId: input.plan_id ?? undefined, message: input.message ?? '' };
    return presentStatePlan(await state.apply(actor, wish), request.language, 'left out');
  }),
  implement(contract.state.sets, async () => (await sets.list()).map(presentStateSet)),
  implement(contract.state.set, async ({ input }) => {
    const set = await sets.get(input.name);
    return { ...presentStateSet(set), owned: set.objects.map(presentOwnedObject) };
  }),
  implement(contract.state.forget, ({ actor, input }) => sets.forget(actor, input.name)),
];

/** Throws `invalid_params` for a kind that there is not. */
function kindsOf(text: string | undefined): StateKind[] {
  if (text === undefined) return [...stateKinds];
  return text.split(',').map((name) => {
    const kind = stateKinds.find((known) => known === name.trim());
    if (kind === undefined) throw new TollgateError('invalid_params', {}, { field: 'kinds' });
    return kind;
  });
}

function wishOf(
  input: ParsedInputOf<typeof contract.state.plan> | ParsedInputOf<typeof contract.state.apply>,
): StateWish {
  return {
    document: input.document,
    orphans: input.prune ? 'delete' : 'keep',
    adopt: input.adopt,
    takeOver: input.take_over,
    maxDeletes: input.max_deletes ?? undefined,
    maxPriceRise: input.max_price_rise ?? undefined,
    priceKinds: input.change_kind ? 'change' : 'keep',
    emptyGroups: input.empty_groups ? 'allow' : 'refuse',
  };
}
