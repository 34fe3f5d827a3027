/** Orders without a web server around them: the service over a world, and a provider whom nobody asks. */
import type { OptionValues } from '../../daemon/contract/options.ts';
import { OrderService, type OrderServiceDeps } from '../../daemon/domain/orders.ts';
import { epayProvider } from '../../daemon/integrations/payments/epay.ts';
import type { UserRecord } from '../../daemon/store/users.ts';
import { actor, type DomainWorld } from './domain-world.ts';
import { optionsView } from './options-view.ts';
import { merchantKey } from './payment-site.ts';

/** Options that payment needs. */
const payment = {
  ServerAddress: 'https://gateway.example',
  PayAddress: 'https://pay.example',
  EpayId: '1001',
  EpayKey: merchantKey,
};

export class OrderDesk {
  readonly service: OrderService;
  /** Whose balance caches were told of. */
  readonly changed: number[] = [];
  /** What the operator was told. */
  readonly reports: unknown[] = [];
  readonly root = actor({ userId: 99, role: 100 });
  readonly call = { remoteIp: '203.0.113.1', requestId: 'a request' };
  readonly #world: DomainWorld;

  constructor(
    world: DomainWorld,
    { options = {}, ...deps }: Partial<Omit<OrderServiceDeps, 'options'>> & { readonly options?: OptionValues } = {},
  ) {
    this.#world = world;
    const { database, nowSeconds } = world;
    this.service = new OrderService({
      database,
      options: () => optionsView({ ...payment, ...options }),
      provider: epayProvider(() => Promise.reject(new Error('nobody is asked'))),
      language: 'en',
      balanceChanged: (userId) => this.changed.push(userId),
      nowSeconds,
      report: (cause) => this.reports.push(cause),
      ...deps,
    });
  }

  async user(username: string, inviterId = 0): Promise<UserRecord> {
    const { users } = this.#world.database.stores;
    const row = { username, createdAt: 1, role: 1, status: 1, group: 'default', inviterId };
    const made = await users.insert(row);
    if (!made.inserted) throw new Error('the name is taken');
    return made.user;
  }

  /** An order of ten dollars; its number. */
  async order({ id: userId, username }: UserRecord): Promise<string> {
    const buyer = actor({ userId, username, role: 1 });
    return (await this.service.pay(buyer, { amount: 10, method: 'zfb' })).fields.out_trade_no ?? '';
  }
}
