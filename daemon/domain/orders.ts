/**
 * Orders of top-ups (management-api.md 5.6, REQ-34): made by buyers, completed by the payment provider's notification or
 * once by an administrator. State, credit, log row and rebate are one transaction.
 */
import type { Language } from '../contract/error-codes.ts';
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import type { Database, Stores } from '../store/database.ts';
import type { Page, Window } from '../store/paging.ts';
import type { PaymentCallbackRecord, TopUpFilter, TopUpRecord } from '../store/top-ups.ts';
import type { UserRecord } from '../store/users.ts';
import type { Actor } from './actor.ts';
import { auditBy } from './audits.ts';
import { creditUser, type EventRow, eventRow } from './ledger-credits.ts';
import { orderTexts } from './order-texts.ts';
import { type OrderTotal, totalsOf } from './order-totals.ts';
import type { CheckoutForm, PaymentNotice, PaymentProvider, PaymentSettings, ProviderOrder } from './payments.ts';
import { managementRefusal } from './permissions.ts';
import { quotaText } from './quota-text.ts';
import { randomBase62 } from './random-text.ts';
import { lockPayer, payRebate } from './rebates.ts';
import { isSameMoney, quoteTopUp, type TopUpQuote } from './top-up-price.ts';

export interface OrderServiceDeps {
  readonly database: Database;
  readonly options: () => OptionsView;
  readonly provider: PaymentProvider;
  /** Language of log rows. */
  readonly language: Language;
  /** Tells the caches that a balance changed. */
  readonly balanceChanged: (userId: number) => void;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
  /** Told why the provider could not be asked, and of payments that belong to no order or could not be credited. */
  readonly report: (cause: unknown) => void;
}

/** An order with its buyer's name and the notifications received for it. */
export interface OrderDetail {
  readonly order: TopUpRecord;
  /** "" when the account was purged. */
  readonly username: string;
  readonly callbacks: readonly PaymentCallbackRecord[];
}

/** Why a notification changed nothing; "" when it completed the order. */
export type NoticeReason =
  | ''
  | 'amount'
  | 'closed'
  | 'merchant'
  | 'provider'
  | 'repeated'
  | 'signature'
  | 'unpaid'
  | 'user_gone';

/** The options that payment needs. */
const paymentKeys = ['PayAddress', 'EpayId', 'EpayKey', 'ServerAddress'] as const;
/** What is acknowledged: nothing is left to do for these. */
const acknowledged: ReadonlySet<NoticeReason> = new Set<NoticeReason>(['', 'repeated', 'unpaid']);
/** Notifications kept for one order, of the provider's own and of forged ones each; more are not worth the rows. */
const mostCallbacks = 100;
const orderTries = 3;
/** Orders of an export that are read at once. */
const exportPortion = 500;

export class OrderService {
  readonly #deps: OrderServiceDeps;

  constructor(deps: OrderServiceDeps) {
    this.#deps = deps;
  }

  /** What an amount would cost. Throws `pay_min`, `pay_low`, `invalid_params`. */
  price(actor: Actor, amount: number): TopUpQuote {
    return quoteTopUp(amount, actor.group, this.#deps.options());
  }

  /** Stores an order and makes the form that pays it. Throws `pay_off` and the codes of `price`. */
  async pay(actor: Actor, wish: { readonly amount: number; readonly method: string }): Promise<CheckoutForm> {
    const { database, options, provider, nowSeconds } = this.#deps;
    const settings = this.#settings();
    const quote = this.price(actor, wish.amount);
    const order = await database.transaction(async ({ topUps }) => {
      for (let attempt = 1; attempt <= orderTries; attempt += 1) {
        const createTime = nowSeconds();
        const inserted = await topUps.insert({
          ...quote,
          userId: actor.userId,
          tradeNo: `USR${actor.userId}NO${randomBase62(16)}${createTime}`,
          provider: provider.id,
          currency: provider.currency,
          paymentMethod: wish.method,
          createTime,
          completeTime: 0,
          status: 'pending',
        });
        if (inserted) return inserted;
      }
      throw new TollgateError('pay_failed');
    });
    const site = options().get('ServerAddress');
    const { tradeNo, money } = order;
    return provider.checkout(
      {
        tradeNo,
        money,
        title: `TUC${order.amount}`,
        method: wish.method,
        notifyUrl: callbackUrl(options()),
        returnUrl: `${site}/log`,
      },
      settings,
    );
  }

  /** A user's own orders, newest first. */
  listOwn(actor: Actor, filter: TopUpFilter, window: Window): Promise<Page<TopUpRecord>> {
    return this.#deps.database.stores.topUps.list({ ...filter, userId: actor.userId }, window);
  }

  /** Orders of everybody, newest first, and what all orders of the filter come to. */
  async list(filter: TopUpFilter, window: Window): Promise<Page<OrderDetail> & { readonly totals: OrderTotal[] }> {
    const { stores } = this.#deps.database;
    const [{ items, total }, sums] = await Promise.all([
      stores.topUps.list(filter, window),
      stores.topUps.sums(filter),
    ]);
    return { items: await this.#detailed(stores, items), total, totals: totalsOf(sums) };
  }

  /** All orders of the filter, newest first, portion by portion. Orders made meanwhile are not among them. */
  async *export(filter: TopUpFilter): AsyncGenerator<OrderDetail[]> {
    const { stores } = this.#deps.database;
    let beforeId: number | undefined;
    for (;;) {
      const orders = await stores.topUps.listBefore(filter, { beforeId, limit: exportPortion });
      if (orders.length > 0) yield await this.#detailed(stores, orders);
      beforeId = orders.at(-1)?.id;
      if (orders.length < exportPortion) return;
    }
  }

  /** Throws `order_not_found`. */
  async get(tradeNo: string): Promise<OrderDetail> {
    const { stores } = this.#deps.database;
    return this.#detail(stores, await this.#require(stores, tradeNo));
  }

  /**
   * Takes a notification: true when nothing is left to do for it, false when the provider should come again. Throws
   * `pay_off` while payment is not set up.
   */
  async notice(
    params: Readonly<Record<string, string>>,
    call: { readonly remoteIp: string; readonly requestId: string },
  ): Promise<boolean> {
    const { database, provider } = this.#deps;
    const notice = provider.readNotice(params, this.#settings());
    const reached = await database.transaction(async (stores) => {
      const order = await stores.topUps.findByTradeNo(notice.tradeNo);
      if (!order) return undefined;
      const reason = await this.#judge(stores, { notice, order, requestId: call.requestId });
      await this.#remember(stores, { notice, reason, remoteIp: call.remoteIp });
      return { reason, userId: order.userId };
    });
    if (!reached) {
      const { kind, tradeNo } = notice;
      if (kind !== 'forged') this.#deps.report(new Error(`a notification (${kind}) of an unknown order: ${tradeNo}`));
      return false;
    }
    const { reason } = reached;
    if (reason === '') await this.#credited(reached.userId);
    if (acknowledged.has(reason)) return true;
    // Somebody may have paid and gets nothing for it, however often the provider comes again.
    if (reason !== 'signature') {
      this.#deps.report(new Error(`a signed notification credited nothing (${reason}): ${notice.tradeNo}`));
    }
    return false;
  }

  /**
   * Completes an order by hand; the reason, if any, stands in the audit row. Throws `order_not_found`, `order_completed`,
   * `order_closed`, `user_not_found`, `user_same_level`, `user_deleted_readonly`.
   */
  async complete(
    actor: Actor,
    { tradeNo, reason, requestId }: { readonly tradeNo: string; readonly reason: string; readonly requestId: string },
  ): Promise<OrderDetail> {
    const { database, nowSeconds } = this.#deps;
    const detail = await database.transaction(async (stores) => {
      const order = await this.#require(stores, tradeNo);
      const buyer = await lockPayer(stores, order.userId);
      if (!buyer) throw new TollgateError('user_not_found');
      const refusal = managementRefusal(actor, buyer, 'set-quota');
      if (refusal) throw new TollgateError(refusal);
      const completed = await stores.topUps.complete(tradeNo, nowSeconds());
      if (!completed) throw new TollgateError(order.status === 'failed' ? 'order_closed' : 'order_completed');
      const adminInfo = { actor_id: actor.userId, actor_name: actor.username, ip: actor.ip };
      await this.#credit(stores, { order, buyer, text: orderTexts.completed, row: { requestId, adminInfo } });
      const { userId, quota, money, status } = order;
      const told = reason === '' ? {} : { reason };
      const detail = { userId, quota, money, status, ...told };
      const act = { action: 'order.complete', target: `order:${tradeNo}`, detail };
      await stores.audits.append(auditBy(actor, act, nowSeconds()));
      return this.#detail(stores, completed);
    });
    await this.#credited(detail.order.userId);
    return detail;
  }

  /** Asks the provider about an order. Throws `pay_off`, `order_not_found`, `order_query_failed`. */
  async query(actor: Actor, tradeNo: string): Promise<ProviderOrder & { readonly moneyMatches: boolean }> {
    const { database, provider, nowSeconds, report } = this.#deps;
    const settings = this.#settings();
    const order = await this.#require(database.stores, tradeNo);
    const answer = await provider.query(tradeNo, settings).catch((cause: unknown) => {
      report(cause);
      throw new TollgateError('order_query_failed', {}, { cause });
    });
    const moneyMatches = isSameMoney(answer.money, order.money);
    const { found, paid, money } = answer;
    const act = { action: 'order.query', target: `order:${tradeNo}`, detail: { found, paid, money } };
    await database.transaction((stores) => stores.audits.append(auditBy(actor, act, nowSeconds())));
    return { ...answer, moneyMatches };
  }

  async #judge(
    stores: Stores,
    { notice, order, requestId }: { notice: PaymentNotice; order: TopUpRecord; requestId: string },
  ): Promise<NoticeReason> {
    if (notice.kind === 'forged') return 'signature';
    if (notice.kind === 'foreign') return 'merchant';
    // Before the amount: whoever has not paid has often no amount either, and nothing is to be credited anyway.
    if (notice.kind === 'unpaid') return 'unpaid';
    if (order.provider !== this.#deps.provider.id) return 'provider';
    if (!isSameMoney(notice.money, order.money)) return 'amount';
    const buyer = await lockPayer(stores, order.userId);
    if (!buyer) return 'user_gone';
    if (!(await stores.topUps.complete(order.tradeNo, this.#deps.nowSeconds()))) {
      // Read again: another notification may have been faster than this one.
      const now = await stores.topUps.findByTradeNo(order.tradeNo);
      return now?.status === 'success' ? 'repeated' : 'closed';
    }
    await this.#credit(stores, { order, buyer, text: orderTexts.paid, row: { requestId } });
    return '';
  }

  /** Balance, log row and rebate of an order that was completed in this very transaction. */
  async #credit(
    stores: Stores,
    credit: {
      order: TopUpRecord;
      buyer: UserRecord;
      text: typeof orderTexts.paid;
      row: Pick<EventRow, 'requestId' | 'adminInfo'>;
    },
  ): Promise<void> {
    const { order, buyer, text, row } = credit;
    const { language, nowSeconds } = this.#deps;
    const options = this.#deps.options();
    const { quota } = order;
    const common = { nowSeconds: nowSeconds(), requestId: row.requestId };
    const content = text(quotaText(quota, options), `${order.money} ${order.currency}`)[language];
    const { id: userId, username } = buyer;
    const event = eventRow({ ...row, ...common, userId, username, type: 1, content, quota });
    await creditUser(stores, { userId, amount: quota, row: event });
    await payRebate(stores, { ...common, payer: buyer, amount: quota, options, language });
  }

  async #remember(
    stores: Stores,
    { notice, reason, remoteIp }: { notice: PaymentNotice; reason: NoticeReason; remoteIp: string },
  ): Promise<void> {
    const { tradeNo, fields } = notice;
    const verified = notice.kind !== 'forged';
    // What completes an order is kept however many came before it; forgeries hide nothing that the provider says.
    if (reason !== '' && (await stores.topUps.countCallbacks(tradeNo, verified)) >= mostCallbacks) return;
    await stores.topUps.insertCallback({
      tradeNo,
      receivedAt: this.#deps.nowSeconds(),
      remoteIp,
      verified,
      reason,
      fields: JSON.stringify(fields),
    });
  }

  async #credited(userId: number): Promise<void> {
    const { balanceChanged } = this.#deps;
    balanceChanged(userId);
    // What is done is not told as failed because nobody can say who else profits: caches look again by themselves.
    const inviterId = await this.#inviterOf(userId).catch(() => 0);
    if (inviterId !== 0) balanceChanged(inviterId);
  }

  async #inviterOf(userId: number): Promise<number> {
    return (await this.#deps.database.stores.users.find(userId))?.inviterId ?? 0;
  }

  async #require(stores: Stores, tradeNo: string): Promise<TopUpRecord> {
    const order = await stores.topUps.findByTradeNo(tradeNo);
    if (!order) throw new TollgateError('order_not_found');
    return order;
  }

  async #detail(stores: Stores, order: TopUpRecord): Promise<OrderDetail> {
    const [detail] = await this.#detailed(stores, [order]);
    return detail ?? { order, username: '', callbacks: [] };
  }

  async #detailed(stores: Stores, orders: readonly TopUpRecord[]): Promise<OrderDetail[]> {
    const buyers = await stores.users.findMany([...new Set(orders.map(({ userId }) => userId))]);
    const names = new Map(buyers.map(({ id, username }) => [id, username]));
    const received = await stores.topUps.callbacksOf(orders.map(({ tradeNo }) => tradeNo));
    const byOrder = new Map<string, PaymentCallbackRecord[]>();
    for (const callback of received) {
      const own = byOrder.get(callback.tradeNo);
      if (own) own.push(callback);
      else byOrder.set(callback.tradeNo, [callback]);
    }
    return orders.map((order) => ({
      order,
      username: names.get(order.userId) ?? '',
      callbacks: byOrder.get(order.tradeNo) ?? [],
    }));
  }

  /** Throws `pay_off` unless all of it is set. */
  #settings(): PaymentSettings {
    const options = this.#deps.options();
    if (missingPaymentKeys(options).length > 0) throw new TollgateError('pay_off');
    return {
      address: options.get('PayAddress'),
      merchantId: options.get('EpayId'),
      merchantKey: options.get('EpayKey'),
    };
  }
}

/** Options without which nobody can pay. */
export function missingPaymentKeys(options: OptionsView): string[] {
  return paymentKeys.filter((key) => options.get(key) === '');
}

/** Where the provider reports; "" while the site does not know its own address. */
export function callbackUrl(options: OptionsView): string {
  const base = options.get('CustomCallbackAddress') || options.get('ServerAddress');
  return base === '' ? '' : `${base}/api/user/epay/notify`;
}
