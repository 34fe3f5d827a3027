/** Finds the endpoint of a method and path: a name wins over a parameter; one trailing slash makes no difference. */
import { addressesOf, type Method } from '../contract/endpoint.ts';
import type { Route } from './implement.ts';

export interface RouteMatch {
  readonly kind: 'match';
  readonly route: Route;
  /** The method whose declaration matched: a HEAD is answered as its GET. */
  readonly method: Method;
  readonly pathMembers: Readonly<Record<string, string>>;
}

/** The path exists under other methods. */
export interface WrongMethod {
  readonly kind: 'wrong-method';
  /** Value of the `Allow` header. */
  readonly allow: string;
}

interface Place {
  readonly path: string;
  readonly names: readonly string[];
  readonly pattern: RegExp;
  readonly routes: Map<Method, Route>;
}

const idPattern = '([1-9][0-9]{0,15})';
const segmentPattern = '([A-Za-z0-9._~-]{1,191})';
const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'DELETE'];

/** Built once from the routes; throws when two of them claim one address. */
export class RouteTable {
  readonly #exact = new Map<string, Place>();
  readonly #patterns = new Map<string, Place>();
  /** The places with parameters, those that say most about their path first. */
  readonly #ordered: readonly Place[];

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      for (const { method, path } of addressesOf(route.endpoint)) this.#add(method, withoutSlash(path), route);
    }
    this.#ordered = [...this.#patterns.values()].sort((a, b) => vagueness(a.path) - vagueness(b.path));
  }

  #add(method: Method, path: string, route: Route): void {
    const names = [...path.matchAll(/:([a-z_]+)/g)].map((match) => match[1] ?? '');
    const places = names.length > 0 ? this.#patterns : this.#exact;
    const place = places.get(path) ?? { path, names, pattern: patternOf(path), routes: new Map<Method, Route>() };
    if (place.routes.has(method)) throw new Error(`two endpoints claim ${method} ${path}`);
    place.routes.set(method, route);
    places.set(path, place);
  }

  /** Undefined when no endpoint has this path. */
  find(method: string, path: string): RouteMatch | WrongMethod | undefined {
    const name = withoutSlash(path);
    const place = this.#exact.get(name) ?? this.#ordered.find(({ pattern }) => pattern.test(name));
    if (!place) return undefined;
    const wanted = methods.find((known) => known === (method === 'HEAD' ? 'GET' : method));
    const route = wanted && place.routes.get(wanted);
    const changesOnGet = route?.endpoint.effect === 'changes' && method === 'HEAD';
    if (!wanted || !route || changesOnGet) return { kind: 'wrong-method', allow: allowOf(place) };
    const values = place.pattern.exec(name)?.slice(1) ?? [];
    const pathMembers = Object.fromEntries(place.names.map((member, index) => [member, values[index] ?? '']));
    return { kind: 'match', route, method: wanted, pathMembers };
  }
}

/** Sorts paths segment by segment: a name before an id, an id before any other parameter. */
function vagueness(path: string): number {
  const kinds = path.split('/').map((part) => (part === ':id' ? '1' : part.startsWith(':') ? '2' : '0'));
  // As a fraction in base 3, so that the first segment that differs decides.
  return kinds.reduce((sum, kind, index) => sum + Number(kind) / 3 ** index, 0);
}

function patternOf(path: string): RegExp {
  const source = path
    .split('/')
    .map((part) => (part === ':id' ? idPattern : part.startsWith(':') ? segmentPattern : part.replaceAll('.', '\\.')))
    .join('/');
  return new RegExp(`^${source}$`);
}

function allowOf(place: Place): string {
  const answers = methods.filter((method) => place.routes.has(method));
  const reads = place.routes.get('GET')?.endpoint.effect === 'changes' ? [] : ['HEAD'];
  return [...answers, ...(answers.includes('GET') ? reads : [])].join(', ');
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
