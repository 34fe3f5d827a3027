/** The way out through the proxies that the environment names. */
import { isIP, type Socket } from 'node:net';
import type { checkServerIdentity } from 'node:tls';
import type { buildConnector as BuildConnector, Dispatcher } from 'undici';
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

/** How connections are made: TLS with the authorities trusted here, within a time. */
export interface ConnectOptions {
  readonly timeout: number;
  readonly ca?: string[];
  readonly checkServerIdentity?: typeof checkServerIdentity;
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
  if (/^(?:https?|socks(?:5h?)?):\/\/[^/]/i.test(address) && URL.canParse(address)) return address;
  throw usageError(both(`${name} holds no address of a proxy`, `${name} 不是代理地址`), {
    field: name,
    hint: both(
      `write ${name}=http://HOST:PORT or socks5://HOST:PORT, or unset it`,
      `请写作 ${name}=http://主机:端口 或 socks5://主机:端口，或取消该变量`,
    ),
  });
}

/** The proxy of a call; undefined: it goes without. */
function proxyFor({ protocol, hostname, port }: URL, { httpsProxy, httpProxy, noProxy }: Proxies): URL | undefined {
  const address = protocol === 'https:' ? (httpsProxy ?? httpProxy) : httpProxy;
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  const isAround = noProxy.split(/[,\s]+/).some((entry) => {
    const [, host = '', itsPort] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (itsPort !== undefined && itsPort !== ownPort) return false;
    return host !== '' && (host === '*' || hostname === host || hostname.endsWith(`.${host}`));
  });
  return address === undefined || isAround ? undefined : new URL(address);
}

/** A way through a proxy. */
export interface ProxiedWay {
  readonly dispatcher: Dispatcher;
  /** Ends what hangs on it, so that the program can end. */
  end(): void;
  /** What a call ends with that failed on this way. @param isUnmade no connection was made from here */
  failureOf(error: unknown, isUnmade: boolean): unknown;
}

/**
 * The way of one call; undefined where no proxy is on it. It is its own, so that what hangs on it can be ended with the
 * call: undici goes on asking for a tunnel when nobody waits for it any more, and the program would not end.
 */
export function proxiedWay(
  undici: Undici,
  url: string,
  { proxies, toProxy, toServer }: { proxies: Proxies; toProxy: ConnectOptions; toServer: ConnectOptions },
): ProxiedWay | undefined {
  const proxy = proxyFor(new URL(url), proxies);
  if (proxy === undefined) return undefined;
  if (/^socks/i.test(proxy.protocol)) return socksWay(undici, proxy, toServer);
  const { ProxyAgent, Pool } = undici;
  const dispatcher = new ProxyAgent({
    uri: proxy.href,
    connect: toServer,
    keepAliveTimeout: 1,
    // Proxies let tunnels through to the ports of TLS alone; what is plain is asked for as browsers do.
    proxyTunnel: false,
    // A tunnel takes nothing of what holds for direct connections.
    proxyTls: toProxy,
    requestTls: toServer,
    clientFactory: (origin) =>
      new Pool(origin, { connect: connectorTo(undici, toProxy) }).compose(
        (dispatch) => (call, handler) => dispatch(call, tellingOf(origin.host, handler)),
      ),
  });
  return { dispatcher, end: () => void dispatcher.destroy(), failureOf: (error) => error };
}

/** Connects to a proxy. undici would name it by its address where it has no name: Node warns of that (RFC 6066). */
function connectorTo({ buildConnector }: Undici, toProxy: ConnectOptions): BuildConnector.connector {
  const connectTo = buildConnector(toProxy);
  return ({ servername, ...wanted }, done) => {
    const isName = typeof servername === 'string' && isIP(servername.replace(/^\[|\]$/g, '')) === 0;
    connectTo(isName ? { ...wanted, servername } : wanted, done);
  };
}

/** A SOCKS proxy looks the server up itself: nothing but the way to the proxy is made from here. */
function socksWay({ Socks5ProxyAgent, buildConnector }: Undici, proxy: URL, toServer: ConnectOptions): ProxiedWay {
  const address = new URL(proxy.href.replace(/^socks5?h?:/i, 'socks5:'));
  const hostname = address.hostname.replace(/^\[|\]$/g, '');
  // In the clear: undici speaks TLS to the proxy itself where it is given anything for that.
  const connectTo = buildConnector({ timeout: toServer.timeout });
  const sockets: Socket[] = [];
  const options = {
    connect: (wanted: BuildConnector.Options, done: BuildConnector.Callback) =>
      connectTo({ ...wanted, host: hostname, hostname }, (...made) => {
        if (made[1]) sockets.push(made[1]);
        done(...made);
      }),
    requestTls: toServer,
  };
  const dispatcher = withoutWarnings(() => new Socks5ProxyAgent(address, options));
  // Node warns of the address of a server, which undici sends as if it were a name.
  process.noDeprecation = true;
  return {
    dispatcher,
    end() {
      void dispatcher.destroy();
      // undici leaves a connection open on which the proxy says nothing.
      for (const socket of sockets) socket.destroy();
    },
    failureOf(error, isUnmade) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
      if (cause === undefined) return error;
      // Its refusals have codes of their own, and its silence has none. What fails behind it, fails at the server.
      const isOfProxy = isUnmade || !('code' in cause) || String(cause.code).startsWith('UND_ERR_SOCKS5');
      return isOfProxy ? notLetThrough(proxy.host, cause) : error;
    },
  };
}

/** undici warns of its SOCKS on standard error, where scripts read failures. */
function withoutWarnings<T>(make: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return make();
  } finally {
    process.emitWarning = emitWarning;
  }
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
  // The codes of SOCKS are numbers, which its messages put into words.
  const hasCode = 'code' in cause && typeof cause.code === 'string' && !cause.code.startsWith('UND_ERR_SOCKS5');
  const reason = hasCode ? cause.code : cause.message;
  return new CliError(
    'network_error',
    exitCodes.unavailable,
    both(`the proxy ${proxy} did not let the call through (${reason})`, `代理 ${proxy} 未放行此请求（${reason}）`),
    { cause },
  );
}
