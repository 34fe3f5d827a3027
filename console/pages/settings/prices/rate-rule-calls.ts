/** Calls of rate rules, and who they are for as people write it. */
import { queryOptions } from '@tanstack/react-query';
import { channelInsight } from '../../../../daemon/contract/channel-insight.ts';
import { groups as groupEndpoints } from '../../../../daemon/contract/groups.ts';
import { type RateRuleView, rateRules as ruleEndpoints } from '../../../../daemon/contract/rate-rules.ts';
import { users as userEndpoints } from '../../../../daemon/contract/users.ts';
import { callsFor } from '../../../api/client.ts';

export const rateRules = callsFor(ruleEndpoints);
export const insight = callsFor(channelInsight);
const groupCalls = callsFor(groupEndpoints);
const userCalls = callsFor({ search: userEndpoints.search });

export const rulesQuery = queryOptions({
  queryKey: ['rate-rules'],
  queryFn: ({ signal }) => rateRules.list({}, { signal }),
});

export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: async ({ signal }) => (await groupCalls.list({}, { signal })).items,
  staleTime: 60_000,
});

/** `alice (7)`, `vip`, `laptop (12)`: a name where there is one, and the id that tells two of one name apart. */
export function subjectText({ subject_kind: kind, subject, subject_name: name }: RateRuleView): string {
  if (kind === 'group') return subject;
  return name === '' ? subject : `${name} (${subject})`;
}

/** The id of a user by id or exact name; undefined where there is none. */
export async function userIdOf(text: string): Promise<number | undefined> {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  const { items } = await userCalls.search({ keyword: text, page_size: 100 });
  return items.find(({ username }) => username.toLowerCase() === text.toLowerCase())?.id;
}
