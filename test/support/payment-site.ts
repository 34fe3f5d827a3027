/** The management API with the wallet over it, and a payment provider that a test speaks for. */
import { OrderService } from '../../daemon/domain/orders.ts';
import { PaymentSelfTest } from '../../daemon/domain/payment-self-test.ts';
import { orderRoutes } from '../../daemon/http/routes/management/orders.ts';
import { guardedFetch } from '../../daemon/integrations/guarded-fetch.ts';
import { callbackProbe } from '../../daemon/integrations/payments/callback-probe.ts';
import { epayProvider, signEpay } from '../../daemon/integrations/payments/epay.ts';
import { AddressGuard } from '../../daemon/upstream/address-guard.ts';
import { type HttpHarness, startHttpHarness, type TestUser } from './http-harness.ts';
import { startWebServer, type WebServer } from './web-server.ts';

export const merchantKey = 'merchant key';

/** A notification's answer. */
export interface NoticeAnswer {
  readonly status: number;
  readonly text: string;
  readonly type: string;
}

export class PaymentSite {
  readonly harness: HttpHarness;
  readonly root: TestUser;
  /** Where buyers pay; it answers `providerAnswer`. */
  readonly provider: WebServer;
  providerAnswer: unknown = {};
  /** What the operator was told. */
  readonly reports: unknown[];
  #notified = 0;

  static async open(): Promise<PaymentSite> {
    let answer = (): unknown => ({});
    const reports: unknown[] = [];
    const provider = await startWebServer(() => answer());
    const harness = await startHttpHarness({
      trustedProxies: ['127.0.0.1'],
      routes: ({ database, snapshots, nowSeconds }) => {
        const options = () => snapshots.current().options;
        const fetch = guardedFetch(new AddressGuard({ allow: ['127.0.0.1'], channelAllowPrivate: false }));
        return orderRoutes({
          orders: new OrderService({
            database,
            options,
            provider: epayProvider(fetch),
            language: 'en',
            balanceChanged: () => undefined,
            nowSeconds,
            report: (cause) => reports.push(cause),
          }),
          selfTest: new PaymentSelfTest({
            stores: database.stores,
            options,
            probe: callbackProbe(fetch),
            monotonic: () => performance.now(),
            nowSeconds,
          }),
        });
      },
    });
    const site = new PaymentSite({ harness, root: await harness.setup(), provider, reports });
    answer = () => site.providerAnswer;
    await site.configure();
    return site;
  }

  private constructor(parts: Pick<PaymentSite, 'harness' | 'root' | 'provider' | 'reports'>) {
    this.harness = parts.harness;
    this.root = parts.root;
    this.provider = parts.provider;
    this.reports = parts.reports;
  }

  async close(): Promise<void> {
    await this.harness.close();
    await this.provider.stop();
  }

  /** Everything that payment needs. */
  configure(): Promise<void> {
    return this.set({
      ServerAddress: 'https://gateway.example',
      PayAddress: this.provider.url,
      EpayId: '1001',
      EpayKey: merchantKey,
    });
  }

  /** Stores options; "" puts one back to its default. */
  async set(values: Readonly<Record<string, string>>): Promise<void> {
    const { database, keyring, snapshots } = this.harness.world;
    for (const [key, value] of Object.entries(values)) {
      const place = { table: 'options', column: 'value', row: key };
      const stored = key === 'EpayKey' && value !== '' ? keyring.seal(place, value) : value;
      await (value === '' ? database.stores.options.delete([key]) : database.stores.options.set(key, stored));
    }
    await snapshots.reload('options');
  }

  async balanceOf({ user }: TestUser): Promise<number | undefined> {
    return (await this.harness.world.database.stores.users.find(user.id))?.quota;
  }

  /** Type, quota and content of a user's log rows. */
  async rowsOf({ user }: TestUser): Promise<{ type: number; quota: number; content: string }[]> {
    const { logs } = this.harness.world.database.stores;
    const { items } = await logs.list({ userId: user.id }, { offset: 0, limit: 50 });
    return items.map(({ type, quota, content }) => ({ type, quota, content }));
  }

  /** An order of ten dollars, with what its buyer posts to the payment page. */
  async order(buyer: TestUser): Promise<{ tradeNo: string; fields: Record<string, string>; url: string }> {
    const { data, url } = await this.harness.client(buyer).wallet.pay({ amount: 10, payment_method: 'zfb' });
    return { tradeNo: data.out_trade_no ?? '', fields: data, url };
  }

  /** Comes from another address each time unless told otherwise: the limit of each has a test of its own. */
  async notify(
    params: Record<string, string>,
    method: 'GET' | 'POST' = 'GET',
    address = `203.0.${Math.floor(this.#notified / 200)}.${this.#notified % 200}`,
  ): Promise<NoticeAnswer> {
    this.#notified += 1;
    const form = new URLSearchParams(params);
    const headers = { 'X-Forwarded-For': address };
    const path = '/api/user/epay/notify';
    const response =
      method === 'GET'
        ? await this.harness.request(`${path}?${form}`, { headers })
        : await fetch(`${this.harness.url}${path}`, { method, headers, body: form });
    const type = response.headers.get('content-type') ?? '';
    return { status: response.status, text: await response.text(), type };
  }

  /** What became of the notifications of an order. */
  async trail(tradeNo: string): Promise<string[]> {
    const { callbacks } = await this.harness.client(this.root).orders.get({ trade_no: tradeNo });
    return callbacks.map(({ verified, reason }) => `${verified ? 'verified' : 'unverified'} ${reason}`.trim());
  }
}

/** What the provider sends once an order of ten dollars is paid. */
export function paidNotice(tradeNo: string, over: Record<string, string> = {}): Record<string, string> {
  return {
    pid: '1001',
    trade_no: '2026112107',
    out_trade_no: tradeNo,
    type: 'alipay',
    name: 'TUC10',
    money: '73.00',
    trade_status: 'TRADE_SUCCESS',
    ...over,
  };
}

export function signed(params: Record<string, string>, key = merchantKey): Record<string, string> {
  return { ...params, sign: signEpay(params, key), sign_type: 'MD5' };
}
