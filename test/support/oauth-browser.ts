/** A browser on its way to another site and back: it keeps one cookie and reads what Tollgate answers. */

export interface SignInAnswer {
  readonly status: number;
  readonly success: boolean;
  readonly code?: string;
  readonly message: string;
  readonly data: { readonly id: number; readonly username: string } | null;
}

export class OauthBrowser {
  readonly #url: string;
  cookie = '';

  /** @param url of the daemon */
  constructor(url: string) {
    this.#url = url;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    const response = await fetch(`${this.#url}${path}`, {
      headers: { 'Accept-Language': 'en', ...(this.cookie ? { Cookie: this.cookie } : {}), ...headers },
    });
    this.cookie = response.headers.get('set-cookie')?.split(';')[0] ?? this.cookie;
    return response;
  }

  async ask(path: string, headers: Record<string, string> = {}): Promise<SignInAnswer> {
    const response = await this.get(path, headers);
    return { ...JSON.parse(await response.text()), status: response.status };
  }

  /** Opens a state; answers it as `data`, with what else the provider is to be asked with. */
  async begin(query = ''): Promise<Record<string, string>> {
    return JSON.parse(await (await this.get(`/api/oauth/state?${query}`)).text());
  }
}
