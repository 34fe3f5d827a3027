/** The stores of one connection or one transaction; a store cannot tell which. */
import type { Knex } from 'knex';
import { AbilityStore } from './abilities.ts';
import { AccountBookStore } from './account-books.ts';
import { AuditStore } from './audits.ts';
import { BudgetStore } from './budgets.ts';
import { ChannelKeyStore } from './channel-keys.ts';
import { ChannelTestStore } from './channel-tests.ts';
import { ChannelStore } from './channels.ts';
import { CheckinStore } from './checkins.ts';
import { CliSignInStore } from './cli-sign-ins.ts';
import { CoolingEndStore } from './cooling-ends.ts';
import type { Engine } from './dialect.ts';
import { ErrorCountStore } from './error-counts.ts';
import { ForeignTableStore } from './foreign-tables.ts';
import { IdempotencyKeyStore } from './idempotency-keys.ts';
import { LedgerStore } from './ledger.ts';
import { LogBodyStore } from './log-bodies.ts';
import { LogReportStore } from './log-reports.ts';
import { LogSumStore } from './log-sums.ts';
import { LogStore } from './logs.ts';
import { MachineTokenStore } from './machine-tokens.ts';
import { MidjourneyStore } from './midjourneys.ts';
import { NodeMessageStore } from './node-messages.ts';
import { NodeStore } from './nodes.ts';
import { NoticeStore } from './notices.ts';
import { ObjectNameStore } from './object-names.ts';
import { OptionChangeStore } from './option-changes.ts';
import { OptionStore } from './options.ts';
import { PasskeyStore } from './passkeys.ts';
import { PriceVersionStore } from './price-versions.ts';
import { QuotaDataStore } from './quota-data.ts';
import { RateRuleStore } from './rate-rules.ts';
import { RedemptionStore } from './redemptions.ts';
import { ReservationStore } from './reservations.ts';
import { ResponseAffinityStore } from './response-affinity.ts';
import { RevisionStore } from './revisions.ts';
import { SchemaMigrationStore } from './schema-migrations.ts';
import { SecondFactorStore } from './second-factors.ts';
import { ServerFactStore } from './server-facts.ts';
import { SessionStore } from './sessions.ts';
import { SetupStore } from './setups.ts';
import { StateSetStore } from './state-sets.ts';
import { TaskStore } from './tasks.ts';
import { TokenStore } from './tokens.ts';
import { TopUpStore } from './top-ups.ts';
import { UserStore } from './users.ts';
import { VerificationCodeStore } from './verification-codes.ts';
import { WholeTableStore } from './whole-tables.ts';

export interface Stores {
  readonly users: UserStore;
  readonly tokens: TokenStore;
  readonly channels: ChannelStore;
  readonly budgets: BudgetStore;
  readonly coolingEnds: CoolingEndStore;
  readonly errorCounts: ErrorCountStore;
  readonly foreignTables: ForeignTableStore;
  readonly channelKeys: ChannelKeyStore;
  readonly abilities: AbilityStore;
  readonly objectNames: ObjectNameStore;
  readonly options: OptionStore;
  readonly optionChanges: OptionChangeStore;
  readonly logs: LogStore;
  readonly logSums: LogSumStore;
  readonly logReports: LogReportStore;
  readonly logBodies: LogBodyStore;
  readonly reservations: ReservationStore;
  readonly accountBooks: AccountBookStore;
  readonly ledger: LedgerStore;
  readonly serverFacts: ServerFactStore;
  readonly sessions: SessionStore;
  readonly secondFactors: SecondFactorStore;
  readonly passkeys: PasskeyStore;
  readonly audits: AuditStore;
  readonly setups: SetupStore;
  readonly revisions: RevisionStore;
  readonly priceVersions: PriceVersionStore;
  readonly quotaData: QuotaDataStore;
  readonly channelTests: ChannelTestStore;
  readonly rateRules: RateRuleStore;
  readonly redemptions: RedemptionStore;
  readonly topUps: TopUpStore;
  readonly checkins: CheckinStore;
  readonly verificationCodes: VerificationCodeStore;
  readonly machineTokens: MachineTokenStore;
  readonly cliSignIns: CliSignInStore;
  readonly midjourneys: MidjourneyStore;
  readonly tasks: TaskStore;
  readonly idempotencyKeys: IdempotencyKeyStore;
  readonly nodes: NodeStore;
  readonly nodeMessages: NodeMessageStore;
  readonly notices: NoticeStore;
  readonly responseAffinity: ResponseAffinityStore;
  readonly schemaMigrations: SchemaMigrationStore;
  readonly stateSets: StateSetStore;
  readonly wholeTables: WholeTableStore;
}

export function createStores(db: Knex, engine: Engine): Stores {
  return {
    users: new UserStore(db, engine),
    tokens: new TokenStore(db, engine),
    channels: new ChannelStore(db, engine),
    budgets: new BudgetStore(db, engine),
    coolingEnds: new CoolingEndStore(db),
    errorCounts: new ErrorCountStore(db),
    foreignTables: new ForeignTableStore(db, engine),
    channelKeys: new ChannelKeyStore(db),
    abilities: new AbilityStore(db),
    objectNames: new ObjectNameStore(db, engine),
    options: new OptionStore(db),
    optionChanges: new OptionChangeStore(db),
    logs: new LogStore(db, engine),
    logSums: new LogSumStore(db, engine),
    logReports: new LogReportStore(db, engine),
    logBodies: new LogBodyStore(db),
    reservations: new ReservationStore(db),
    accountBooks: new AccountBookStore(db),
    ledger: new LedgerStore(db, engine),
    serverFacts: new ServerFactStore(db, engine),
    sessions: new SessionStore(db),
    secondFactors: new SecondFactorStore(db),
    passkeys: new PasskeyStore(db),
    audits: new AuditStore(db),
    setups: new SetupStore(db),
    revisions: new RevisionStore(db, engine),
    priceVersions: new PriceVersionStore(db),
    quotaData: new QuotaDataStore(db),
    channelTests: new ChannelTestStore(db),
    rateRules: new RateRuleStore(db),
    redemptions: new RedemptionStore(db, engine),
    topUps: new TopUpStore(db, engine),
    checkins: new CheckinStore(db),
    verificationCodes: new VerificationCodeStore(db),
    machineTokens: new MachineTokenStore(db),
    cliSignIns: new CliSignInStore(db),
    midjourneys: new MidjourneyStore(db),
    tasks: new TaskStore(db),
    idempotencyKeys: new IdempotencyKeyStore(db),
    nodes: new NodeStore(db),
    nodeMessages: new NodeMessageStore(db),
    notices: new NoticeStore(db),
    responseAffinity: new ResponseAffinityStore(db),
    schemaMigrations: new SchemaMigrationStore(db, engine),
    stateSets: new StateSetStore(db),
    wholeTables: new WholeTableStore(db, engine),
  };
}
