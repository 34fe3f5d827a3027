/** The way out through the proxies that the environment names. */
import type { Dispatcher } from 'undici';
import { CliError, usageError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { both } from './language.ts';

type Undici = typeof import('undici');

/** Where calls go out, by the scheme of their address; one of them is there. */
export interface Proxies {
  readonly httpsProxy: string | undefined;
  readonly httpProxy: string | undefined;
  /** Hosts that are reached without. */
  readonly noProxy: string;
}

/** What the environment names; undefined: nothing. Throws exit 3 for what is no address of a proxy. */
export function proxiesOf(environment: NodeJS.ProcessEnv): Proxies | undefined {
  const [httpsProxy, httpProxy] = ['HTTPS_PROXY', 'HTTP_PROXY'].map((name) => addressIn(environment, name));
  if (httpsProxy === undefined && httpProxy === undefined) return undefined;
  return { httpsProxy, httpProxy, noProxy: environment.NO_PROXY || environment.no_proxy || '' };
}

function addressIn(environment: NodeJS.ProcessEnv, upper: string): string | undefined {
  const name = environment[upper] ? upper : upper.toLowerCase();
  const given = environment[name];
  if (!given) return undefined;
  // As curl reads it: what names no scheme speaks plain HTTP.
  const address = given.includes('://') ? given : `http://${given}`;
  if (/^(?:https?|socks5?):\/\/[^/]/i.test(address) && URL.canParse(address)) return address;
  throw usageError(both(`${name} holds no address of a proxy`, `${name} 不是代理地址`), {
    field: name,
    hint: both(`write ${name}=http://HOST:PORT, or unset it`, `请写作 ${name}=http://主机:端口，或取消该变量`),
  });
}

/**
 * The way of one call. It is its own, so that what hangs on it can be ended with the call: undici goes on asking for a
 * tunnel when nobody waits for it any more, and the program would not end.
 */
export function proxiedWay(
  { EnvHttpProxyAgent, Pool }: Undici,
  { proxies: { httpsProxy, httpProxy, noProxy }, connect }: { proxies: Proxies; connect: object },
): Dispatcher {
  return new EnvHttpProxyAgent({
    connect,
    keepAliveTimeout: 1,
    // Proxies let tunnels through to the ports of TLS alone; what is plain is asked for as browsers do.
    proxyTunnel: false,
    // A tunnel takes nothing of what holds for direct connections.
    proxyTls: connect,
    requestTls: connect,
    clientFactory: (origin, options) =>
      new Pool(origin, options).compose(
        (dispatch) => (call, handler) => dispatch(call, tellingOf(origin.host, handler)),
      ),
    noProxy,
    ...(httpsProxy === undefined ? {} : { httpsProxy }),
    ...(httpProxy === undefined ? {} : { httpProxy }),
  });
}

/** Tells of a tunnel that was not made in words of its own. */
function tellingOf(proxy: string, handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (...start) => handler.onRequestStart?.(...start),
    onRequestUpgrade: (controller, status, ...rest) => {
      if (status === 200) return handler.onRequestUpgrade?.(controller, status, ...rest);
      rest[1].on('error', () => undefined).destroy();
      handler.onResponseError?.(controller, notLetThrough(proxy, new Error(`HTTP ${status}`)));
    },
    // undici 7.30 tries again without a pause, for ever, where a proxy closes the connection; what it does not know as
    // such a failure ends the call. Can go once `onError` of its client.js ends calls whose connection failed so.
    onResponseError: (controller, error) => handler.onResponseError?.(controller, notLetThrough(proxy, error)),
  };
}

function notLetThrough(proxy: string, cause: Error): CliError {
  const reason = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
  return new CliError(
    'network_error',
    exitCodes.unavailable,
    both(`the proxy ${proxy} did not let the call through (${reason})`, `代理 ${proxy} 未放行此请求（${reason}）`),
    { cause },
  );
}
