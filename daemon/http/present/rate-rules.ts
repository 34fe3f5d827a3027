/** Rate rules on the wire. */
import type { RateRuleView } from '../../contract/rate-rules.ts';
import type { NamedRateRule } from '../../domain/rate-rule-edits.ts';

export function presentRateRule(rule: NamedRateRule): RateRuleView {
  return {
    id: rule.id,
    subject_kind: rule.subjectKind,
    subject: rule.subject,
    subject_name: rule.subjectName,
    model: rule.model,
    ratio: rule.ratio,
    updated_at: rule.updatedAt,
    updated_by: rule.actorName,
  };
}
