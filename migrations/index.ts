/**
 * Every change of the schema, in order. A released migration is frozen: it imports nothing but types of knex and its own
 * parts, and must read the same in five years. The daemon runs them through `daemon/store/migrate.ts`.
 */
import { initial } from './0001-initial.ts';
import { tokenConversion } from './0002-token-conversion.ts';
import { notices } from './0003-notices.ts';
import { logSums } from './0004-log-sums.ts';
import { auditChain } from './0005-audit-chain.ts';
import { optionChanges } from './0006-option-changes.ts';
import { nodeFacts } from './0007-node-facts.ts';
import { tokenNotices } from './0008-token-notices.ts';
import { coolingEnds } from './0009-cooling-ends.ts';
import { errorCounts } from './0010-error-counts.ts';
import { nodeMessages } from './0011-node-messages.ts';
import { tokenRates } from './0012-token-rates.ts';
import { logCost } from './0013-log-cost.ts';
import { keptIds } from './0014-kept-ids.ts';
import { taskQuota } from './0015-task-quota.ts';
import { machineTokens } from './0016-machine-tokens.ts';
import { secondFactors } from './0017-second-factors.ts';
import { budgets } from './0018-budgets.ts';
import { priceWork } from './0019-price-work.ts';
import { declaredState } from './0020-declared-state.ts';
import { cliSignIns } from './0021-cli-sign-ins.ts';
import { tokenModelMapping } from './0022-token-model-mapping.ts';
import { tokenConcurrency } from './0023-token-concurrency.ts';
import { userNotes } from './0024-user-notes.ts';
import { auditTargets } from './0025-audit-targets.ts';
import { mailDomains } from './0026-mail-domains.ts';
import { auditActions } from './0027-audit-actions.ts';

export const migrations = [
  initial,
  tokenConversion,
  notices,
  logSums,
  auditChain,
  optionChanges,
  nodeFacts,
  tokenNotices,
  coolingEnds,
  errorCounts,
  nodeMessages,
  tokenRates,
  logCost,
  keptIds,
  taskQuota,
  machineTokens,
  secondFactors,
  budgets,
  priceWork,
  declaredState,
  cliSignIns,
  tokenModelMapping,
  tokenConcurrency,
  userNotes,
  auditTargets,
  mailDomains,
  auditActions,
];
