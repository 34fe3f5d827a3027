/** `contract`: every endpoint of the management API, by resource. Router, client, OpenAPI file and tests derive from it. */
import { account } from './account.ts';
import { alerts } from './alerts.ts';
import { audits } from './audits.ts';
import { billing } from './billing.ts';
import { budgets } from './budgets.ts';
import { channels } from './channels.ts';
import { cliSignIns } from './cli-sign-ins.ts';
import { events } from './events.ts';
import { groups } from './groups.ts';
import { limits } from './limits.ts';
import { logs } from './logs.ts';
import { machineTokens } from './machine-tokens.ts';
import { models } from './models.ts';
import { oauth } from './oauth.ts';
import { options } from './options.ts';
import { orders } from './orders.ts';
import { pageContent } from './page-content.ts';
import { passkeys } from './passkeys.ts';
import { priceWork } from './price-work.ts';
import { prices } from './prices.ts';
import { pricing } from './pricing.ts';
import { rateRules } from './rate-rules.ts';
import { redemptions } from './redemptions.ts';
import { reference } from './reference.ts';
import { rewards } from './rewards.ts';
import { search } from './search.ts';
import { secondFactor } from './second-factor.ts';
import { selfTests } from './self-tests.ts';
import { sessions } from './sessions.ts';
import { setup } from './setup.ts';
import { state } from './state.ts';
import { status } from './status.ts';
import { stepUp } from './step-up.ts';
import { system } from './system.ts';
import { tokens } from './tokens.ts';
import { usageData } from './usage-data.ts';
import { usageReports } from './usage-reports.ts';
import { users } from './users.ts';
import { verification } from './verification.ts';
import { wallet } from './wallet.ts';
import { works } from './works.ts';

export const contract = {
  account,
  alerts,
  audits,
  billing,
  budgets,
  channels,
  cliSignIns,
  events,
  groups,
  limits,
  logs,
  machineTokens,
  models,
  oauth,
  options,
  orders,
  pageContent,
  passkeys,
  prices,
  priceWork,
  pricing,
  rateRules,
  redemptions,
  reference,
  rewards,
  search,
  secondFactor,
  sessions,
  setup,
  state,
  status,
  stepUp,
  selfTests,
  system,
  tokens,
  usageData,
  usageReports,
  users,
  verification,
  wallet,
  works,
};

export type Contract = typeof contract;
