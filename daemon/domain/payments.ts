/** What the rules of orders need of a payment provider; implemented in `integrations/payments`. */

/** How the site is known to the provider. */
export interface PaymentSettings {
  /** Address of the payment page, without a slash at its end. */
  readonly address: string;
  readonly merchantId: string;
  readonly merchantKey: string;
}

/** What the buyer is sent to pay. */
export interface Checkout {
  readonly tradeNo: string;
  /** Shown to the buyer. */
  readonly title: string;
  /** Two decimals. */
  readonly money: string;
  /** As published: `zfb` or `wx`. */
  readonly method: string;
  /** Where the provider reports. */
  readonly notifyUrl: string;
  /** Where the buyer's browser comes back to. */
  readonly returnUrl: string;
}

/** A form that the buyer's browser posts. */
export interface CheckoutForm {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** A provider's notification, read and checked as far as it goes without the order. */
export interface PaymentNotice {
  /** "" when it names no order. */
  readonly tradeNo: string;
  /** `forged`: not signed with our key; `foreign`: for another merchant; `unpaid`: no payment yet. */
  readonly kind: 'forged' | 'foreign' | 'unpaid' | 'paid';
  /** As sent; compared with the order's. */
  readonly money: string;
  /** Known parameters without the signature, cut for keeping. */
  readonly fields: Readonly<Record<string, string>>;
}

/** What the provider answers when it is asked for an order. */
export interface ProviderOrder {
  readonly found: boolean;
  readonly paid: boolean;
  /** The provider's own number; "" when there is none. */
  readonly providerTradeNo: string;
  /** "" when the provider does not say. */
  readonly money: string;
}

export interface PaymentProvider {
  /** Stored with every order; a notification of one provider never completes an order of another (S3). */
  readonly id: string;
  /** ISO 4217. */
  readonly currency: string;
  checkout(order: Checkout, settings: PaymentSettings): CheckoutForm;
  readNotice(params: Readonly<Record<string, string>>, settings: PaymentSettings): PaymentNotice;
  /** Rejects when the provider cannot be asked; the reason is for operators. */
  query(tradeNo: string, settings: PaymentSettings): Promise<ProviderOrder>;
}
