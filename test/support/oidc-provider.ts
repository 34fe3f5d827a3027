/** A real OpenID Connect provider of the `oidc-provider` package on a free port, and a person who visits its pages. */
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

export interface OidcProviderSite {
  readonly issuer: string;
  /** Goes through the provider's own pages as a person would; the query with which it sends the browser back. */
  authorize(account: string, asked: Record<string, string | undefined>): Promise<string>;
  /** Follows the provider's sign-out page to where it sends the browser. */
  leave(address: string): Promise<string>;
  stop(): Promise<void>;
}

interface Place {
  readonly issuer: string;
  /** Address of the site that people sign in to. */
  readonly site: string;
}

/** Knows everybody by the name they give, and two clients: `tollgate` and `another`. */
export async function startOidcProvider({
  site,
  isVerified,
}: {
  site: string;
  /** Whether the provider vouches for its addresses. */
  isVerified: () => boolean;
}): Promise<OidcProviderSite> {
  let handle: (request: never, response: never) => unknown = () => undefined;
  const server = createServer((request, response) => Reflect.apply(handle, undefined, [request, response]));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'tollgate',
        client_secret: 'client secret',
        redirect_uris: [`${site}/oauth/oidc`],
        post_logout_redirect_uris: [`${site}/login`],
        token_endpoint_auth_method: 'client_secret_post',
      },
      {
        client_id: 'another',
        client_secret: 'its secret',
        redirect_uris: [`${site}/oauth/oidc`],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    pkce: { required: () => false },
    claims: { openid: ['sub'], profile: ['name', 'preferred_username'], email: ['email', 'email_verified'] },
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        name: `Name of ${id} that is quite long`,
        preferred_username: id,
        email: `${id}@example.com`,
        email_verified: isVerified(),
      }),
    }),
  });
  handle = provider.callback();
  const place = { issuer, site };
  return {
    issuer,
    authorize: (account, asked) => authorize(place, account, asked),
    leave: (address) => leave(place, address),
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Goes through the provider's own pages as a user would; the query with which it sends the browser back. */
async function authorize(
  { issuer, site }: Place,
  account: string,
  asked: Record<string, string | undefined>,
): Promise<string> {
  const jar = new Map<string, string>();
  const query = new URLSearchParams({
    client_id: 'tollgate',
    redirect_uri: `${site}/oauth/oidc`,
    response_type: 'code',
    scope: 'openid profile email',
  });
  for (const [name, value] of Object.entries(asked)) if (value !== undefined) query.set(name, value);
  const visit = async (url: string, form?: Record<string, string>): Promise<Response> => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', ...value] = (cookie.split(';')[0] ?? '').split('=');
      jar.set(name, value.join('='));
    }
    return response;
  };
  let url = `${issuer}/auth?${query}`;
  for (let hops = 0; hops < 12; hops += 1) {
    const response = await visit(url);
    const location = response.headers.get('location');
    if (location?.startsWith(site)) return new URL(location).search;
    if (location) {
      url = new URL(location, issuer).href;
      continue;
    }
    const page = await response.text();
    const action = /action="([^"]+)"/.exec(page)?.[1] ?? '';
    const prompt = page.includes('name="login"') ? 'login' : 'consent';
    const form = prompt === 'login' ? { prompt, login: account, password: 'x' } : { prompt };
    const submitted = await visit(new URL(action, issuer).href, form);
    url = new URL(submitted.headers.get('location') ?? '', issuer).href;
  }
  throw new Error('the provider never sent the browser back');
}

/** Follows the provider's sign-out page to where it sends the browser. */
async function leave({ issuer }: Place, address: string): Promise<string> {
  const page = await fetch(address);
  const cookies = page.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  const html = await page.text();
  const action = /action="([^"]+)"/.exec(html)?.[1] ?? '';
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
  const left = await fetch(new URL(action, issuer), {
    method: 'POST',
    redirect: 'manual',
    headers: { Cookie: cookies.join('; ') },
    body: new URLSearchParams({ xsrf, logout: 'yes' }),
  });
  return left.headers.get('location') ?? '';
}
