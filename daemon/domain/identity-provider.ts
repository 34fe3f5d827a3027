/** Accounts elsewhere that may stand for an account here (management-api.md 3.5). Vendors implement it in `integrations/oauth`. */
import type { OptionsView } from '../contract/options.ts';
import type { ExternalIdentity } from '../store/users.ts';

/** The site's options, as providers are configured by them. */
export type ProviderOptions = OptionsView;

export type IdentityProviderId = 'github' | 'oidc' | 'linuxdo' | 'wechat';

/** What a visitor brings back from a provider. */
export interface ProviderGrant {
  readonly code: string;
  /** Secret behind the code challenge of the request; "" when it had none. */
  readonly codeVerifier: string;
  /** Nonce of the request; "" when it had none. */
  readonly nonce: string;
}

/** Somebody, as a provider knows them. */
export interface ExternalAccount {
  /** Never changes and is never given to somebody else; not "". */
  readonly id: string;
  /** A user name they would like; "" for none. */
  readonly username: string;
  /** "" for none. */
  readonly displayName: string;
  /** An address that the provider has verified; "" for none. */
  readonly email: string;
  /** What the provider wants to see again when this session ends, "" for nothing; undefined where it ends none. */
  readonly signOutHint?: string;
}

export interface IdentityProvider {
  readonly id: IdentityProviderId;
  /** As people know it. */
  readonly name: string;
  /** Where the id is stored. */
  readonly identity: ExternalIdentity;
  isEnabled(options: ProviderOptions): boolean;
  /** Asks the provider who has come. Rejects when it refuses or cannot be reached; the reason is for operators. */
  exchange(grant: ProviderGrant, options: ProviderOptions): Promise<ExternalAccount>;
  /** Where a browser signs out at the provider too; undefined when the provider offers no such page. May reject. */
  signOutAddress?(hint: string, options: ProviderOptions): Promise<string | undefined>;
}
