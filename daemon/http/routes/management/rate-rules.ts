/** Routes of rate rules. */
import { contract } from '../../../contract/index.ts';
import type { RateRuleService } from '../../../domain/rate-rule-edits.ts';
import { implement, type Route } from '../../implement.ts';
import { presentRateRule } from '../../present/rate-rules.ts';

export const rateRuleRoutes = (rules: RateRuleService): Route[] => [
  implement(contract.rateRules.list, async () => (await rules.list()).map(presentRateRule)),
  implement(contract.rateRules.set, async ({ actor, input }) => {
    const { subject_kind: subjectKind, subject, model, ratio, expected_ratio: expectedRatio } = input;
    return presentRateRule(await rules.set(actor, { subjectKind, subject, model, ratio, expectedRatio }));
  }),
  implement(contract.rateRules.delete, ({ actor, input }) => rules.delete(actor, input.id)),
];
